#pragma once

#include "scheduler/costs/profile.hpp"
#include "scheduler/placement/allocation.hpp"
#include "scheduler/placement/options.hpp"

namespace layerpipe::placement {

/// The allocation whose slowest processor takes the fewest cycles, exactly, of all that Algorithm 1
/// may come to by either reading, with `options.split`: at most `processors` stages of consecutive
/// layers; of the input gradient of a stage's last layer, if it is movable and its borrower lies on
/// the next stage with layers, that one computes any number of units. The rest stays with its
/// layer, or is a stage of its own between the two. Among equals: the fewest stages, then the
/// earliest cuts from the input on, then parts that stay with their layers, then the fewest units
/// on the next stage with layers, from the input on.
/// Takes O(log cycles) passes of O(stages x layers x layers of the longest stage). Reads of
/// `options` the thresholds and the split. Throws InfeasibleError if a layer cannot be divided so.
[[nodiscard]] Allocation layerpipe_optimal_partition(const costs::Profile& profile,
                                                     std::size_t processors,
                                                     const SchedulerOptions& options);

}  // namespace layerpipe::placement
