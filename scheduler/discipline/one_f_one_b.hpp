#pragma once

#include "scheduler/discipline/program.hpp"

namespace layerpipe::discipline {

/// 1F1B with a flush (PipeDream-Flush, Narayanan et al., ICML 2021; DAPPLE, Fan et al., PPoPP
/// 2021): stage s of p executes min(p-1-s, m) forward passes, then a forward and a backward pass in
/// turn, then what is left of the backward passes. min(m, p-s) micro-batches are in flight.
[[nodiscard]] Program one_f_one_b(const PipelineShape& shape);

/// The same with 2 (p-1-s) forward passes first, which hides the time of a transfer up to half of
/// that of a stage.
[[nodiscard]] Program eager_one_f_one_b(const PipelineShape& shape);

}  // namespace layerpipe::discipline
