#include "scheduler/partition/lending.hpp"

#include <algorithm>

#include "scheduler/split.hpp"

namespace layerpipe::scheduler {

namespace {

bool is_movable(const Profile& profile, std::size_t l, const SchedulerOptions& options) {
  const LayerProfile& layer = profile.layers[l];
  const std::int64_t all_bytes =
      layer.weight_bytes + layer.weightless_backward_bytes + layer.input_gradient_bytes;
  return !lending_obstacle(profile, l) && layer.weight_bytes <= options.max_lent_weight_bytes &&
         all_bytes <= options.max_lent_bytes;
}

}  // namespace

std::optional<std::string_view> lending_obstacle(const Profile& profile, std::size_t layer) {
  const LayerProfile& costs = profile.layers[layer];
  if (layer == 0) return "it is the first layer";
  if (layer + 1 == profile.layers.size()) return "it is the last layer";
  if (!costs.lender) return "the gradient at its output is not added up in one place elsewhere";
  if (costs.input_gradient_cycles == 0) return "it takes no cycles";
  return std::nullopt;
}

std::vector<LayerWork> layer_works(const Profile& profile, const SchedulerOptions& options) {
  require_divisible(profile, options.split);
  std::vector<LayerWork> works;
  for (std::size_t l = 0; l < profile.layers.size(); ++l) {
    const LayerProfile& layer = profile.layers[l];
    const std::int64_t rest = layer.forward_cycles + layer.weight_gradient_cycles;
    if (is_movable(profile, l, options)) {
      works.push_back({layer.input_gradient_cycles, rest, *layer.lender});
    } else {
      works.push_back({0, rest + layer.input_gradient_cycles, 0});
    }
  }
  return works;
}

Placement placement(const LayerProfile& layer, Split split, ProcessorId processor,
                    std::int64_t units) {
  if (units == 0) return {processor, 0.0, 0};
  const std::int64_t all = split_units(layer, split);
  const std::int64_t lent = std::min(units, all);
  return {processor, static_cast<double>(lent) / static_cast<double>(all),
          part_cycles(layer, split, lent)};
}

}  // namespace layerpipe::scheduler
