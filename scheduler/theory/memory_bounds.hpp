#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/memory/holdings.hpp"

namespace layerpipe::theory {

/// The most weights and activations that one processor can have to hold for one layer at once, by
/// tokens alone, whatever takes how long.
struct LayerMemory {
  std::size_t layer = 0;
  costs::ProcessorId processor = 0;
  bool is_lent = false;  ///< not the layer's own processor: a part of delta is lent to it
  std::int64_t weight_versions = 0;  ///< and for how many iterations each is kept
  std::int64_t weight_bytes = 0;     ///< of all versions
  std::int64_t activation_versions = 0;
  /// Of all versions of the inputs of the layer, each value once on a processor, for the first
  /// layer that takes it there; and of all that the backward pass of its group needs besides.
  std::int64_t activation_bytes = 0;
};

/// By layer, the own processor first. What a processor holds at any date of any run of so many
/// minibatches is at most the sum of its entries.
///
/// The bound of a holding: if b lets go of it and a makes it, a has begun no more often than b has
/// ended, plus the fewest tokens on a way from b to a. In a chain this is M(l) + 1 for weights and
/// input of a layer on its own processor; on the borrower more, which may fall behind G(l). Where
/// there is no way, as between parts of a network that have nothing but its input in common, the
/// minibatches are the bound.
///
/// Precondition: the schedule was made from the profile; where a processor prefers the input
/// gradient of a layer to its weight gradient, both wait for the same gradient.
[[nodiscard]] std::vector<LayerMemory> layer_memory(const contract::Schedule& schedule,
                                                    const costs::Profile& profile,
                                                    std::int64_t minibatches);

}  // namespace layerpipe::theory
