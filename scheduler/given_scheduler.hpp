#pragma once

#include "scheduler/placement/given_allocation.hpp"
#include "scheduler/scheduler.hpp"

namespace layerpipe::scheduler {

/// The scheduler that places layers as given and has the name of the order. Of the options it reads
/// the delays, which replace those of the allocation.
/// Precondition of its plan: the allocation is one of the profile's layers on the machine's
/// processors that keeps the rules of lending.
[[nodiscard]] Scheduler scheduler_of(placement::GivenAllocation given);

}  // namespace layerpipe::scheduler
