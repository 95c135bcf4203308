#include "scheduler/costs/layer_groups.hpp"

#include <algorithm>
#include <span>

namespace layerpipe::costs {

namespace {

using network::Layer;
using network::Network;

std::size_t group_of_input(const LayerGroups& groups, std::size_t input) {
  return input == Layer::network_input ? LayerGroups::none : groups.of_layer[input];
}

/// The last group that feeds a weightless layer.
std::size_t last_feeding_group(const LayerGroups& groups, const Layer& layer) {
  std::size_t last = LayerGroups::none;
  for (const std::size_t input : layer.inputs) {
    const std::size_t group = group_of_input(groups, input);
    if (group == LayerGroups::none) continue;
    last = last == LayerGroups::none ? group : std::max(last, group);
  }
  return last;
}

}  // namespace

void add_use(std::vector<Value::Use>& uses, std::size_t group, bool by_gemm) {
  const auto use = std::lower_bound(uses.begin(), uses.end(), group,
                                    [](const Value::Use& u, std::size_t g) { return u.layer < g; });
  if (use == uses.end() || use->layer != group) {
    uses.insert(use, {group, by_gemm, !by_gemm});
    return;
  }
  use->by_gemm = use->by_gemm || by_gemm;
  use->by_others = use->by_others || !by_gemm;
}

LayerGroups layer_groups(const Network& network) {
  LayerGroups result;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (has_gemm(layer)) {
      result.of_layer.push_back(result.groups.size());
      result.groups.push_back({i});
      continue;
    }
    const std::size_t group = last_feeding_group(result, layer);
    result.of_layer.push_back(group);
    if (group != LayerGroups::none) result.groups[group].followers.push_back(i);
  }
  return result;
}

std::vector<GroupOutput> group_outputs(const Network& network, const LayerGroups& groups) {
  std::vector<GroupOutput> outputs(network.layers.size());
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    outputs[i].layer = i;
    outputs[i].value.layer = groups.of_layer[i];
    for (const std::size_t input : network.layers[i].inputs) {
      if (group_of_input(groups, input) == LayerGroups::none) continue;
      Value& value = outputs[input].value;
      if (value.layer == groups.of_layer[i]) {
        value.used_within = true;
      } else {
        add_use(value.uses, groups.of_layer[i], has_gemm(network.layers[i]));
      }
    }
  }
  std::erase_if(outputs, [](const GroupOutput& output) { return output.value.uses.empty(); });
  std::stable_sort(outputs.begin(), outputs.end(),
                   [](const auto& a, const auto& b) { return a.value.layer < b.value.layer; });
  return outputs;
}

}  // namespace layerpipe::costs
