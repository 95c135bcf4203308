#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/delays.hpp"
#include "scheduler/schedule.hpp"

namespace layerpipe::scheduler {

/// Where one layer lies, and how much of its input gradient the processor of the next layer
/// computes in its place (delta'').
struct Placement {
  ProcessorId processor = 0;
  double lent_fraction = 0.0;    ///< of the input gradient, in [0, 1]
  std::int64_t lent_cycles = 0;  ///< what the lent part takes there
};

/// One placement per layer with a GEMM, in order of execution. Processors never decrease and leave
/// none out: layers of one processor are a stage. `delays` say how stale the updates are.
struct Allocation {
  std::vector<Placement> layers;
  Split split = Split::ideal;  ///< how lent fractions are meant
  Delays delays = DelayRule::twice_stages_after;

  [[nodiscard]] std::size_t stages() const {
    return layers.empty() ? 0 : layers.back().processor + 1;
  }
};

/// Where a schedule has placed the layers, and how stale their updates are there. What it executes
/// of a layer's input gradient on another processor than the forward pass is lent. Precondition:
/// every layer has a forward pass.
[[nodiscard]] Allocation allocation_of(const Schedule& schedule);

/// Of each layer.
[[nodiscard]] std::vector<ProcessorId> processors(const Allocation& allocation);

/// floor(fraction x whole), where a product that is a whole number but for rounding is that number:
/// the share k / whole of `whole` is k. At most `whole`.
[[nodiscard]] std::int64_t whole_share(double fraction, std::int64_t whole);

/// Whole bytes of the lent share of `bytes`: whole channels and samples have all their bytes; the
/// kept share is the rest.
[[nodiscard]] std::int64_t lent_bytes(double fraction, std::int64_t bytes);

/// Of a layer's `bytes` of weights, those that a lent part needs: its own input channels' (ideal
/// and channels), or all of them where samples are lent.
[[nodiscard]] std::int64_t lent_weight_bytes(double fraction, std::int64_t bytes, Split split);

}  // namespace layerpipe::scheduler
