#pragma once

#include <vector>

#include "scheduler/contract/schedule.hpp"

namespace layerpipe::contract {

/// What is of one micro-batch in a schedule, as a schedule of whole minibatches: its operations,
/// the tensors that carry what is of it, and the edges between these. Weights that are sent are not
/// in it, nor is an order.
struct MicroBatchSlice {
  Schedule schedule;
  std::vector<OpId> ops;          ///< [operation of the slice]: in the whole
  std::vector<TensorId> tensors;  ///< [tensor of the slice]: in the whole
};

/// One slice for each micro-batch, in order. What waits for what within a micro-batch, and what has
/// to reach whom, is so checked and counted by what knows no micro-batches. Takes time in
/// proportion to the schedule. Precondition: ids are in range.
[[nodiscard]] std::vector<MicroBatchSlice> micro_batch_slices(const Schedule& schedule);

}  // namespace layerpipe::contract
