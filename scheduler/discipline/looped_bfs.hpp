#pragma once

#include "scheduler/discipline/program.hpp"

namespace layerpipe::discipline {

/// Breadth-first with several stages on each processor (Lamy-Poirier, MLSys 2023; PyTorch's
/// ScheduleLoopedBFS): all micro-batches through the earliest of its stages first; backward from
/// the last stage on, the newest micro-batch first.
[[nodiscard]] Program looped_bfs(const PipelineShape& shape);

}  // namespace layerpipe::discipline
