#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "sim/events/channel.hpp"

namespace layerpipe::trace {

/// What an operation is to a reader of a trace. `delta` is the input gradient.
enum class TraceKind {
  forward,
  delta,
  delta_kept,  ///< delta', the part that stays with its layer
  delta_lent,  ///< delta'', the part on the processor of the next layer
  weight_gradient,
  backward,  ///< a backward pass of several parts
};

/// For programs: "forward", "input_gradient", "input_gradient_kept", "input_gradient_lent",
/// "weight_gradient" or "backward".
[[nodiscard]] std::string_view to_string(TraceKind kind);

/// For people: "FP", "delta", "delta'", "delta''", "G" or "backward".
[[nodiscard]] std::string_view symbol(TraceKind kind);

/// "mandatory", "additional_weights" or "additional_gradients"; "local" is not sent.
[[nodiscard]] std::string_view to_string(contract::TensorClass tensor_class);

struct OperationLabel {
  TraceKind kind = TraceKind::forward;
  std::string text;       ///< "FP conv1", "delta'' conv3", "G conv2", "backward conv1..conv3"
  std::string layers;     ///< "conv1", "conv1..conv3"
  double fraction = 1.0;  ///< of the layer's operation; 1 where there are several parts
};

/// One label per op.
[[nodiscard]] std::vector<OperationLabel> operation_labels(const contract::Schedule& schedule);

/// One per tensor: "mandatory activation conv1", "additional weights conv3".
[[nodiscard]] std::vector<std::string> tensor_labels(const contract::Schedule& schedule);

/// "p0 -> p1".
[[nodiscard]] std::string channel_label(const machine::Machine& machine,
                                        const events::Channel& channel);

}  // namespace layerpipe::trace
