#pragma once

#include <string>
#include <vector>

#include "scheduler/contract/schedule_builder.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/discipline/gradient_flow.hpp"
#include "scheduler/discipline/program.hpp"
#include "scheduler/placement/allocation.hpp"

namespace layerpipe::discipline {

/// [micro-batch][layer]
using SplitOps = std::vector<std::vector<LayerOps>>;

/// [micro-batch]: stages whose backward pass is one operation after all. They lend nothing.
using WholeStages = std::vector<std::vector<Stage>>;

/// Adds the operations of every micro-batch, and what they wait for, with input and weight
/// gradients apart and lent parts where the allocation says; no orders. A layer is updated with its
/// weight gradient of micro-batch `updating[l]`, which is executed last. The minibatch's edges have
/// no tokens; the only delays are those of the updates, M(l) + 1. Weights that are sent are sent
/// once for all micro-batches. Throws UsageError if there are not as many delays as layers.
[[nodiscard]] SplitOps add_split_backward(contract::ScheduleBuilder& builder,
                                          const costs::Profile& profile,
                                          const placement::Allocation& allocation,
                                          std::size_t micro_batches,
                                          const std::vector<std::size_t>& updating,
                                          const WholeStages& whole);

}  // namespace layerpipe::discipline
