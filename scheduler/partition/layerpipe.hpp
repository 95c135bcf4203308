#pragma once

#include "scheduler/allocation.hpp"
#include "scheduler/profile.hpp"
#include "scheduler/scheduler.hpp"

namespace layerpipe::scheduler {

struct LayerPipePartition {
  Allocation allocation;
  double target_cycles = 0.0;  ///< T_p of the walk that succeeded
};

/// Algorithm 1 of LayerPipe (Unnikrishnan and Parhi, 2021) with the ideal split: any fraction of an
/// input gradient may be lent, cycles in proportion. Starting from
/// T_p = max(total / processors, largest fixed part of a layer), the layers are walked in reverse
/// and fill one processor after the other up to T_p; a walk that fails multiplies T_p by
/// `options.alpha`. Input gradients of the first and the last layer, of no cycles, or above the
/// thresholds are never lent. Throws UsageError unless alpha is above 1.
[[nodiscard]] LayerPipePartition layerpipe_partition(const Profile& profile, std::size_t processors,
                                                     const SchedulerOptions& options);

}  // namespace layerpipe::scheduler
