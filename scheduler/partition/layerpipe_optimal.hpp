#pragma once

#include "scheduler/allocation.hpp"
#include "scheduler/profile.hpp"
#include "scheduler/scheduler.hpp"

namespace layerpipe::scheduler {

/// The allocation whose slowest processor takes the fewest cycles, exactly, under the rules of
/// Algorithm 1 and `options.split`: at most `processors` stages of consecutive layers; of a stage,
/// the last layer may lend any number of units of its input gradient to the processor of the next
/// stage, if it is movable and its lender lies there. Among equals: the fewest stages, then the
/// earliest cuts from the input on, then the fewest lent units of each layer, from the input on.
/// Takes O(log cycles) passes of O(stages x layers x layers of the longest stage). Reads of
/// `options` the thresholds and the split. Throws InfeasibleError if a layer cannot be divided so.
[[nodiscard]] Allocation layerpipe_optimal_partition(const Profile& profile, std::size_t processors,
                                                     const SchedulerOptions& options);

}  // namespace layerpipe::scheduler
