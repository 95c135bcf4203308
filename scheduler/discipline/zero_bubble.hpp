#pragma once

#include "scheduler/discipline/program.hpp"

namespace layerpipe::discipline {

/// ZB-H1 (Qi et al., ICLR 2024, "Zero Bubble Pipeline Parallelism"): 1F1B of forward passes and
/// input gradients; stage s executes the weight gradient of a micro-batch after the input gradient
/// of the one s later, so that it fills the bubble and no stage keeps more than p micro-batches.
[[nodiscard]] Program zb_h1(const PipelineShape& shape);

/// ZB-H2: stage s executes 2 (p-s) - 1 forward passes first, and weight gradients 2 s micro-batches
/// late: no stage has a bubble between its first operation and its last. Throws
/// InfeasibleError for fewer than 2 p - 1 micro-batches.
[[nodiscard]] Program zb_h2(const PipelineShape& shape);

}  // namespace layerpipe::discipline
