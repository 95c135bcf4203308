#include "scheduler/contract/lent_parts.hpp"

#include <algorithm>

#include "scheduler/contract/allocation_of.hpp"
#include "scheduler/costs/split.hpp"
#include "scheduler/placement/allocation.hpp"
#include "scheduler/placement/lending.hpp"

namespace layerpipe::contract {

namespace {

Division division(const costs::LayerProfile& layer, costs::Split split,
                  const std::vector<std::int64_t>& borrowed_units) {
  Division result;
  result.units = split_units(layer, split);
  result.whole_cycles = layer.input_gradient_cycles;
  for (const std::int64_t units : borrowed_units) {
    result.lent_units += units;
    result.lent_cycles += part_cycles(layer, split, units);
  }
  result.kept_cycles = part_cycles(layer, split, result.units - result.lent_units);
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

/// Of what borrowed parts compute: their shares of the gradient at each value that the layer takes.
std::int64_t result_bytes(const costs::Profile& profile, std::size_t layer,
                          const placement::Placement& placement) {
  std::int64_t bytes = 0;
  for (const costs::Value& value : profile.values) {
    const bool is_taken = std::any_of(
        value.uses.begin(), value.uses.end(),
        [layer](const costs::Value::Use& use) { return use.layer == layer && use.by_gemm; });
    if (is_taken) bytes += value.gradient_bytes - shares(placement, value.gradient_bytes).kept;
  }
  return bytes;
}

}  // namespace

Division half_lent(const costs::Profile& profile, std::size_t layer, costs::Split split) {
  const costs::LayerProfile& costs = profile.layers[layer];
  const std::int64_t half = split_units(costs, split) / 2;
  const placement::Placement placed = placement::placement(costs, split, 0, {{1, half}});
  Division result = division(costs, split, {half});
  for (const std::int64_t bytes : borrowed_weight_bytes(placed, costs.weight_bytes, split)) {
    result.weight_bytes += bytes;
  }
  result.gradient_bytes = result_bytes(profile, layer, placed);
  return result;
}

std::vector<LentPart> lent_parts(const Schedule& schedule, const costs::Profile& profile) {
  std::vector<LentPart> parts;
  const std::vector<placement::Placement> placements = allocation_of(schedule).layers;
  for (std::size_t l = 0; l < placements.size(); ++l) {
    if (placements[l].borrowed.empty()) continue;
    const costs::LayerProfile& layer = profile.layers[l];
    std::vector<std::int64_t> units;
    for (const placement::BorrowedPart& part : placements[l].borrowed) {
      units.push_back(units_of(layer, schedule.split, part.fraction));
    }
    Division divided = division(layer, schedule.split, units);
    divided.weight_bytes = sent_weight_bytes(schedule, l);
    divided.gradient_bytes = result_bytes(profile, l, placements[l]);
    parts.push_back({l, divided});
  }
  return parts;
}

}  // namespace layerpipe::contract
