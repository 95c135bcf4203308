#pragma once

#include <vector>

#include "scheduler/contract/schedule_builder.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/discipline/program.hpp"

namespace layerpipe::discipline {

/// The operations of one micro-batch whose backward pass of a stage is one operation.
struct WholeOps {
  std::vector<contract::OpId> forward;   ///< [layer]
  std::vector<contract::OpId> backward;  ///< [stage]
};

/// The whole backward pass of a stage as one operation.
[[nodiscard]] contract::Op backward_of(const costs::Profile& profile, const Stage& stage);

/// Adds the operations of every micro-batch, and what they wait for; no orders. A stage's gradients
/// at its inputs leave at the end of its backward pass, which adds up what it gets. Stage s is
/// updated with its backward pass of micro-batch `updating[s]`, which is executed last, and its
/// weights lack `staleness[s]` updates. Precondition: the stages hold all layers, in order.
[[nodiscard]] std::vector<WholeOps> add_whole_backward(contract::ScheduleBuilder& builder,
                                                       const costs::Profile& profile,
                                                       const std::vector<Stage>& stages,
                                                       std::size_t micro_batches,
                                                       const std::vector<std::size_t>& updating,
                                                       const std::vector<std::int64_t>& staleness);

}  // namespace layerpipe::discipline
