#include "scheduler/lent_parts.hpp"

#include <algorithm>
#include <map>

#include "scheduler/allocation.hpp"
#include "scheduler/split.hpp"

namespace layerpipe::scheduler {

namespace {

Division division(const LayerProfile& layer, Split split, std::int64_t lent_units) {
  Division result;
  result.units = split_units(layer, split);
  result.lent_units = lent_units;
  result.whole_cycles = layer.input_gradient_cycles;
  result.kept_cycles = part_cycles(layer, split, result.units - lent_units);
  result.lent_cycles = part_cycles(layer, split, lent_units);
  return result;
}

/// Of the weights of layer `layer` that are sent from processor to processor.
std::int64_t sent_weight_bytes(const Schedule& schedule, std::size_t layer) {
  std::int64_t bytes = 0;
  for (const Tensor& tensor : schedule.tensors) {
    if (tensor.tensor_class != TensorClass::additional_weights || tensor.layer != layer) continue;
    bytes += tensor.bytes;
  }
  return bytes;
}

/// Of what `op` produces, each gradient once however many processors it is sent to.
std::int64_t result_bytes(const Schedule& schedule, OpId op) {
  std::map<std::size_t, std::int64_t> by_layer;
  for (const Tensor& tensor : schedule.tensors) {
    const auto& producers = tensor.producers;
    if (std::find(producers.begin(), producers.end(), op) == producers.end()) continue;
    by_layer[tensor.layer] = tensor.bytes;
  }
  std::int64_t bytes = 0;
  for (const auto& [layer, layer_bytes] : by_layer) bytes += layer_bytes;
  return bytes;
}

/// The processor of each layer's forward pass.
std::vector<ProcessorId> homes(const Schedule& schedule) {
  std::vector<ProcessorId> result(schedule.layer_names.size());
  for (const Op& op : schedule.ops) {
    for (const OpPart& part : op.parts) {
      if (part.kind == OpKind::forward) result[part.layer] = op.processor;
    }
  }
  return result;
}

}  // namespace

Division half_lent(const Profile& profile, std::size_t layer, Split split) {
  const LayerProfile& costs = profile.layers[layer];
  const std::int64_t units = split_units(costs, split);
  Division result = division(costs, split, units / 2);
  const double fraction = static_cast<double>(units / 2) / static_cast<double>(units);
  result.weight_bytes = lent_weight_bytes(fraction, costs.weight_bytes, split);
  result.gradient_bytes = lent_bytes(fraction, profile.layers[layer].input_gradient_bytes);
  return result;
}

std::vector<LentPart> lent_parts(const Schedule& schedule, const Profile& profile) {
  std::vector<LentPart> parts;
  const std::vector<ProcessorId> home = homes(schedule);
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    for (const OpPart& part : schedule.ops[op].parts) {
      const bool is_lent =
          part.kind == OpKind::input_gradient && schedule.ops[op].processor != home[part.layer];
      if (!is_lent) continue;
      const LayerProfile& layer = profile.layers[part.layer];
      Division lent =
          division(layer, schedule.split, units_of(layer, schedule.split, part.fraction));
      lent.weight_bytes = sent_weight_bytes(schedule, part.layer);
      lent.gradient_bytes = result_bytes(schedule, op);
      parts.push_back({part.layer, lent});
    }
  }
  std::ranges::sort(parts, {}, &LentPart::layer);
  return parts;
}

}  // namespace layerpipe::scheduler
