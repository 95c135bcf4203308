#pragma once

#include "scheduler/discipline/program.hpp"

namespace layerpipe::discipline {

/// PipeDream-2BW (Narayanan et al., ICML 2021): 1F1B that is never flushed, an update every m
/// micro-batches, which both passes of the next minibatch but one use: two versions of the weights.
/// Throws InfeasibleError for fewer than p - 1 micro-batches, with which it would hang.
[[nodiscard]] Program pipedream_2bw(const PipelineShape& shape);

}  // namespace layerpipe::discipline
