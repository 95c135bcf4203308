#include "scheduler/lent_parts.hpp"

#include <algorithm>

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

/// Of the lent part's result: its share of the gradient at each value that the layer takes.
std::int64_t result_bytes(const Profile& profile, std::size_t layer, double fraction) {
  std::int64_t bytes = 0;
  for (const Value& value : profile.values) {
    const bool is_taken =
        std::any_of(value.uses.begin(), value.uses.end(),
                    [layer](const Value::Use& use) { return use.layer == layer && use.by_gemm; });
    if (is_taken) bytes += lent_bytes(fraction, value.gradient_bytes);
  }
  return bytes;
}

}  // namespace

Division half_lent(const Profile& profile, std::size_t layer, Split split) {
  const LayerProfile& costs = profile.layers[layer];
  const std::int64_t units = split_units(costs, split);
  Division result = division(costs, split, units / 2);
  const double fraction = static_cast<double>(units / 2) / static_cast<double>(units);
  result.weight_bytes = lent_weight_bytes(fraction, costs.weight_bytes, split);
  result.gradient_bytes = result_bytes(profile, layer, fraction);
  return result;
}

std::vector<LentPart> lent_parts(const Schedule& schedule, const Profile& profile) {
  std::vector<LentPart> parts;
  const std::vector<ProcessorId> home = processors(allocation_of(schedule));
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    for (const OpPart& part : schedule.ops[op].parts) {
      const bool is_lent =
          part.kind == OpKind::input_gradient && schedule.ops[op].processor != home[part.layer];
      if (!is_lent) continue;
      const LayerProfile& layer = profile.layers[part.layer];
      Division lent =
          division(layer, schedule.split, units_of(layer, schedule.split, part.fraction));
      lent.weight_bytes = sent_weight_bytes(schedule, part.layer);
      lent.gradient_bytes = result_bytes(profile, part.layer, part.fraction);
      parts.push_back({part.layer, lent});
    }
  }
  std::ranges::sort(parts, {}, &LentPart::layer);
  return parts;
}

}  // namespace layerpipe::scheduler
