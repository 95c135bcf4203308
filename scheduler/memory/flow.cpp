#include "scheduler/memory/flow.hpp"

#include <algorithm>

#include "scheduler/contract/layer_delays.hpp"

namespace layerpipe::memory {

namespace {

std::vector<LayerExecution> placed_layers(const contract::Schedule& schedule) {
  std::vector<LayerExecution> layers(schedule.layer_names.size());
  for (const contract::LayerDelays& delays : layer_delays(schedule)) {
    layers[delays.layer].processor = delays.stage;
    layers[delays.layer].staleness = delays.staleness;
  }
  std::vector<bool> is_update(schedule.ops.size(), false);
  for (const contract::OpId op : schedule.updates) is_update[op] = true;
  for (contract::OpId op = 0; op < schedule.ops.size(); ++op) {
    for (const contract::OpPart& part : schedule.ops[op].parts) {
      LayerExecution& layer = layers[part.layer];
      if (part.kind == costs::OpKind::forward) {
        layer.forward = op;
        layer.forwards.push_back(op);
        continue;
      }
      if (part.kind == costs::OpKind::weight_gradient) {
        layer.weight_gradients.push_back(op);
        if (layer.weight_gradients.size() == 1 || is_update[op]) layer.weight_gradient = op;
      }
      if (schedule.ops[op].processor != layer.processor) {
        layer.borrowed.push_back(op);
      } else if (layer.backward.empty() || layer.backward.back() != op) {
        layer.backward.push_back(op);
      }
    }
  }
  for (LayerExecution& layer : layers) {
    std::ranges::sort(layer.borrowed, {},
                      [&](contract::OpId op) { return schedule.ops[op].processor; });
  }
  return layers;
}

}  // namespace

Flow::Flow(const contract::Schedule& of)
    : schedule(of), layers(placed_layers(of)), edges(of.tensors.size()), wholes(of.tensors.size()) {
  for (const contract::Edge& edge : schedule.edges) {
    if (edge.tensor != contract::Edge::no_tensor) edges[edge.tensor].push_back(&edge);
  }
  for (contract::TensorId id = 0; id < schedule.tensors.size(); ++id) {
    const contract::Tensor& tensor = schedule.tensors[id];
    for (const contract::TensorId part : tensor.parts) wholes[part].push_back(id);
    const bool is_of_forward_pass =
        tensor.producers.size() == 1 && tensor.parts.empty() && is_forward(tensor.producers[0]);
    if (tensor.tensor_class == contract::TensorClass::additional_weights) {
      carried.push_back(Carried::weights);
    } else if (!edges[id].empty() && is_forward(edges[id].front()->to)) {
      carried.push_back(Carried::activation);
    } else if (is_of_forward_pass && tensor.value == contract::Tensor::no_value) {
      carried.push_back(Carried::weightless);
    } else {
      carried.push_back(Carried::gradient);
    }
  }
}

std::vector<Step> Flow::ends(std::size_t layer, std::int64_t lag) const {
  std::vector<Step> steps{{StepKind::operation_ended, layers[layer].forward, lag}};
  for (const contract::OpId op : layers[layer].backward) {
    steps.push_back({StepKind::operation_ended, op, lag});
  }
  return steps;
}

std::vector<Step> Flow::ends_of_users(contract::TensorId tensor) const {
  std::vector<Step> steps;
  for (const contract::Edge* edge : edges[tensor]) {
    steps.push_back({StepKind::operation_ended, edge->to, edge->tokens});
  }
  return steps;
}

std::vector<contract::TensorId> Flow::sent(std::size_t layer, Carried what) const {
  std::vector<contract::TensorId> result;
  for (contract::TensorId id = 0; id < carried.size(); ++id) {
    if (carried[id] == what && schedule.tensors[id].layer == layer) result.push_back(id);
  }
  return result;
}

}  // namespace layerpipe::memory
