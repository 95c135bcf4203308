#include "scheduler/placement/lending.hpp"

#include <algorithm>

#include "scheduler/costs/split.hpp"

namespace layerpipe::placement {

namespace {

bool is_movable(const costs::Profile& profile, std::size_t l, const SchedulerOptions& options) {
  const costs::LayerProfile& layer = profile.layers[l];
  const std::int64_t all_bytes =
      layer.weight_bytes + layer.weightless_backward_bytes + layer.input_gradient_bytes;
  return !lending_obstacle(profile, l) && layer.weight_bytes <= options.max_lent_weight_bytes &&
         all_bytes <= options.max_lent_bytes;
}

}  // namespace

std::optional<std::string_view> lending_obstacle(const costs::Profile& profile, std::size_t layer) {
  const costs::LayerProfile& costs = profile.layers[layer];
  if (layer == 0) return "it is the first layer";
  if (layer + 1 == profile.layers.size()) return "it is the last layer";
  if (!costs.has_input_gradient) return "nothing before it needs an input gradient";
  if (!costs.borrower) return "the gradient at its output is not added up in one place elsewhere";
  if (costs.input_gradient_cycles == 0) return "it takes no cycles";
  return std::nullopt;
}

std::vector<LayerWork> layer_works(const costs::Profile& profile, const SchedulerOptions& options) {
  require_divisible(profile, options.split);
  std::vector<LayerWork> works;
  for (std::size_t l = 0; l < profile.layers.size(); ++l) {
    const costs::LayerProfile& layer = profile.layers[l];
    const std::int64_t rest = layer.forward_cycles + layer.weight_gradient_cycles;
    if (is_movable(profile, l, options)) {
      works.push_back({layer.input_gradient_cycles, rest, *layer.borrower});
    } else {
      works.push_back({0, rest + layer.input_gradient_cycles, 0});
    }
  }
  return works;
}

Placement placement(const costs::LayerProfile& layer, costs::Split split,
                    costs::ProcessorId processor, const std::vector<BorrowedUnits>& borrowed) {
  Placement result{processor};
  const std::int64_t all = split_units(layer, split);
  std::int64_t left = all;
  for (const BorrowedUnits& part : borrowed) {
    const std::int64_t units = std::min(part.units, left);
    if (units == 0) continue;
    left -= units;
    result.borrowed.push_back({part.processor,
                               static_cast<double>(units) / static_cast<double>(all),
                               part_cycles(layer, split, units)});
  }
  std::ranges::sort(result.borrowed, {}, &BorrowedPart::processor);
  return result;
}

}  // namespace layerpipe::placement
