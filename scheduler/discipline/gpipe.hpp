#pragma once

#include "scheduler/discipline/program.hpp"

namespace layerpipe::discipline {

/// GPipe (Huang et al., NeurIPS 2019): all forward passes, then all backward passes, the oldest
/// micro-batch first. All micro-batches are in flight.
[[nodiscard]] Program gpipe(const PipelineShape& shape);

}  // namespace layerpipe::discipline
