#include "sim/trace/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "scheduler/contract/allocation_of.hpp"
#include "scheduler/placement/allocation.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::trace {
namespace {

using contract::InputKind;
using contract::Op;
using contract::OpPart;
using contract::Schedule;
using contract::TensorClass;
using costs::OpKind;
using costs::ProcessorId;

TraceKind part_kind(const OpPart& part, bool on_own_processor) {
  switch (part.kind) {
    case OpKind::forward:
      return TraceKind::forward;
    case OpKind::weight_gradient:
      return TraceKind::weight_gradient;
    case OpKind::input_gradient:
      if (!on_own_processor) return TraceKind::delta_lent;
      return part.fraction < 1.0 ? TraceKind::delta_kept : TraceKind::delta;
  }
  throw InternalError("unknown kind of operation");
}

TraceKind op_kind(const Op& op, const std::vector<ProcessorId>& layer_processor) {
  const OpPart& first = op.parts.front();
  const bool is_one_kind = std::all_of(op.parts.begin(), op.parts.end(),
                                       [&](const OpPart& part) { return part.kind == first.kind; });
  if (!is_one_kind) return TraceKind::backward;
  return part_kind(first, op.processor == layer_processor[first.layer]);
}

/// "conv2", or "conv1..conv3" from the first layer of the op to its last.
std::string layer_range(const Schedule& schedule, const Op& op) {
  const auto [first, last] =
      std::minmax_element(op.parts.begin(), op.parts.end(),
                          [](const OpPart& a, const OpPart& b) { return a.layer < b.layer; });
  const std::string& name = schedule.layer_names[first->layer];
  if (first->layer == last->layer) return name;
  return fmt::format("{}..{}", name, schedule.layer_names[last->layer]);
}

std::string_view noun(InputKind input) {
  switch (input) {
    case InputKind::activation:
      return "activation";
    case InputKind::gradient:
      return "gradient";
    case InputKind::weights:
    case InputKind::weight_version:
      return "weights";
  }
  throw InternalError("unknown kind of input");
}

std::string description(TensorClass tensor_class, InputKind input) {
  switch (tensor_class) {
    case TensorClass::local:
      return fmt::format("sum of {}s", noun(input));
    case TensorClass::mandatory:
      return fmt::format("mandatory {}", noun(input));
    case TensorClass::additional_weights:
      return "additional weights";
    case TensorClass::additional_gradients:
      return "additional gradients";
  }
  throw InternalError("unknown class of tensor");
}

}  // namespace

std::string_view to_string(TraceKind kind) {
  switch (kind) {
    case TraceKind::forward:
      return "forward";
    case TraceKind::delta:
      return "input_gradient";
    case TraceKind::delta_kept:
      return "input_gradient_kept";
    case TraceKind::delta_lent:
      return "input_gradient_lent";
    case TraceKind::weight_gradient:
      return "weight_gradient";
    case TraceKind::backward:
      return "backward";
  }
  throw InternalError("unknown kind of trace state");
}

std::string_view symbol(TraceKind kind) {
  switch (kind) {
    case TraceKind::forward:
      return "FP";
    case TraceKind::delta:
      return "delta";
    case TraceKind::delta_kept:
      return "delta'";
    case TraceKind::delta_lent:
      return "delta''";
    case TraceKind::weight_gradient:
      return "G";
    case TraceKind::backward:
      return "backward";
  }
  throw InternalError("unknown kind of trace state");
}

std::string_view to_string(TensorClass tensor_class) {
  switch (tensor_class) {
    case TensorClass::local:
      return "local";
    case TensorClass::mandatory:
      return "mandatory";
    case TensorClass::additional_weights:
      return "additional_weights";
    case TensorClass::additional_gradients:
      return "additional_gradients";
  }
  throw InternalError("unknown class of tensor");
}

std::string channel_label(const machine::Machine& machine, const events::Channel& channel) {
  return fmt::format("{} -> {}", machine.processors[channel.source],
                     machine.processors[channel.destination]);
}

std::vector<OperationLabel> operation_labels(const Schedule& schedule) {
  const std::vector<ProcessorId> layer_processor = processors(allocation_of(schedule));
  std::vector<OperationLabel> labels;
  for (const Op& op : schedule.ops) {
    const TraceKind kind = op_kind(op, layer_processor);
    const std::string layers = layer_range(schedule, op);
    std::string text = fmt::format("{} {}", symbol(kind), layers);
    if (schedule.micro_batches > 1) {
      text += fmt::format(", micro-batch {}", op.parts.front().micro_batch);
    }
    labels.push_back(
        {kind, std::move(text), layers, op.parts.size() == 1 ? op.parts.front().fraction : 1.0});
  }
  return labels;
}

std::vector<std::string> tensor_labels(const Schedule& schedule) {
  std::vector<InputKind> input(schedule.tensors.size(), InputKind::activation);
  for (const contract::Edge& edge : schedule.edges) {
    if (edge.tensor != contract::Edge::no_tensor) input[edge.tensor] = edge.input;
  }
  for (contract::TensorId id = schedule.tensors.size(); id-- > 0;) {
    for (const contract::TensorId part : schedule.tensors[id].parts) input[part] = input[id];
  }
  std::vector<std::string> labels;
  for (contract::TensorId id = 0; id < schedule.tensors.size(); ++id) {
    const contract::Tensor& tensor = schedule.tensors[id];
    labels.push_back(fmt::format("{} {}", description(tensor.tensor_class, input[id]),
                                 schedule.layer_names[tensor.layer]));
  }
  return labels;
}

}  // namespace layerpipe::trace
