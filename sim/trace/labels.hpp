#pragma once

#include <string>
#include <vector>

#include "scheduler/schedule.hpp"

namespace layerpipe::sim {

/// What an operation is to a reader of a trace. `delta` is the input gradient.
enum class TraceKind {
  forward,
  delta,
  delta_kept,  ///< delta', the part that stays with its layer
  delta_lent,  ///< delta'', the part on the processor of the next layer
  weight_gradient,
  backward,  ///< a backward pass of several parts
};

struct OperationLabel {
  TraceKind kind = TraceKind::forward;
  std::string text;  ///< "FP conv1", "delta'' conv3", "G conv2", "backward conv1..conv3"
};

/// One label per op.
[[nodiscard]] std::vector<OperationLabel> operation_labels(const scheduler::Schedule& schedule);

/// One per tensor: "mandatory activation conv1", "additional weights conv3".
[[nodiscard]] std::vector<std::string> tensor_labels(const scheduler::Schedule& schedule);

}  // namespace layerpipe::sim
