#pragma once

#include <cstdint>

#include "scheduler/discipline/disciplines.hpp"
#include "scheduler/scheduler.hpp"

namespace layerpipe::scheduler {

/// The scheduler of a discipline in micro-batches. The profile that its plan is given is of one
/// micro-batch.
[[nodiscard]] Scheduler scheduler_of(const discipline::Discipline& discipline);

}  // namespace layerpipe::scheduler
