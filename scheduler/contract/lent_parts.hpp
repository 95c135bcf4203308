#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"

namespace layerpipe::contract {

/// What it costs to divide an input gradient.
struct Division {
  std::int64_t units = 0;       ///< cycles, channels or samples of the whole
  std::int64_t lent_units = 0;  ///< of these
  std::int64_t whole_cycles = 0;
  std::int64_t kept_cycles = 0;
  std::int64_t lent_cycles = 0;
  std::int64_t weight_bytes = 0;  ///< of the weights that the lent part needs
  std::int64_t gradient_bytes =
      0;  ///< of its result, that part of the gradient at the layer's input

  /// Cycles that both parts take beyond the whole.
  [[nodiscard]] std::int64_t extra_cycles() const {
    return kept_cycles + lent_cycles - whole_cycles;
  }
};

/// As if half of the units of layer `layer`, rounded down, were lent. Precondition: layer > 0, and
/// its input gradient can be divided so.
[[nodiscard]] Division half_lent(const costs::Profile& profile, std::size_t layer,
                                 costs::Split split);

struct LentPart {
  std::size_t layer = 0;
  Division division;
};

/// The input gradients of which `schedule` executes a part, or all, on another processor than the
/// layer's forward pass, in order of layers. Precondition: the schedule is of the profile.
[[nodiscard]] std::vector<LentPart> lent_parts(const Schedule& schedule,
                                               const costs::Profile& profile);

}  // namespace layerpipe::contract
