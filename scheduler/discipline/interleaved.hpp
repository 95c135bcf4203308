#pragma once

#include "scheduler/discipline/program.hpp"

namespace layerpipe::discipline {

/// Interleaved 1F1B (Narayanan et al., SC 2021): v stages on each processor, taken in groups of p
/// micro-batches. Processor s executes 2 (p-1-s) + (v-1) p forward passes first (at most m v), then
/// a forward and a backward pass in turn. Throws InfeasibleError unless p divides the number of
/// micro-batches.
[[nodiscard]] Program interleaved_one_f_one_b(const PipelineShape& shape);

}  // namespace layerpipe::discipline
