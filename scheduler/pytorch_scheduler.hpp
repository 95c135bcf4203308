#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/discipline/pytorch_schedule.hpp"
#include "scheduler/scheduler.hpp"

namespace layerpipe::scheduler {

/// The scheduler that executes what is given, rank r on processor r, with so many layers in each
/// stage, if they are given. Else the placement rule divides them, whole or even: one stage on each
/// processor, in order, as for 1f1b, others as for interleaved-1f1b. Its plan throws
/// InfeasibleError if there are more ranks than processors or more stages than layers, UsageError
/// for other than `given` stages. Precondition of its plan: the micro-batches are as many as given.
[[nodiscard]] Scheduler scheduler_of(
    discipline::PytorchSchedule given,
    std::optional<std::vector<std::int64_t>> layers_of_stages = std::nullopt);

}  // namespace layerpipe::scheduler
