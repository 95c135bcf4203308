#pragma once

#include "scheduler/costs/profile.hpp"
#include "scheduler/placement/allocation.hpp"
#include "scheduler/placement/options.hpp"

namespace layerpipe::placement {

struct LayerPipePartition {
  Allocation allocation;
  double target_cycles = 0.0;  ///< T_p of the walk that succeeded
};

/// Where T_fix(l), all of layer l but its input gradient, may lie if delta'(l), what has not fitted
/// on the open processor, has just opened the next one.
enum class Reading {
  literal,  ///< there if it fits, else on the one after it, which it opens: delta'(l) lies apart
  strict,   ///< there, or the walk fails: delta'(l) stays with its layer
};

/// Algorithm 1 of LayerPipe (Unnikrishnan and Parhi, 2021). Starting from
/// T_p = max(total / processors, largest fixed part of a layer), the layers are walked in reverse
/// and fill one processor after the other up to T_p; a walk that fails multiplies T_p by
/// `options.alpha`. Of an input gradient, the open processor borrows what fits there, in units of
/// `options.split`. Those of the first and the last layer, of no cycles, or above the thresholds
/// are never divided. Throws UsageError unless alpha is above 1, InfeasibleError if a layer cannot
/// be divided so.
[[nodiscard]] LayerPipePartition layerpipe_partition(const costs::Profile& profile,
                                                     std::size_t processors,
                                                     const SchedulerOptions& options,
                                                     Reading reading = Reading::literal);

}  // namespace layerpipe::placement
