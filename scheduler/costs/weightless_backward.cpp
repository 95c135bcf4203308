#include "scheduler/costs/weightless_backward.hpp"

#include <map>

namespace layerpipe::costs {

namespace {

using network::Layer;
using network::LayerType;
using network::Network;

constexpr std::int64_t bytes_per_mask_or_index = 1;

/// A pool over single elements: its output is its input.
bool is_identity(const Layer& pool) {
  const network::Extent& kernel = pool.window.kernel;
  return pool.input == pool.output &&
         (pool.type == LayerType::adaptive_avgpool2d || (kernel.height == 1 && kernel.width == 1));
}

/// Whether the signs of a layer's input are known once its backward pass has what it needs.
bool shows_signs_of_input(const Layer& layer, bool output_is_known) {
  switch (layer.type) {
    case LayerType::relu:
    case LayerType::batchnorm2d:
      return true;
    case LayerType::avgpool2d:
    case LayerType::adaptive_avgpool2d:
      return output_is_known && is_identity(layer);
    case LayerType::upsample:
      return output_is_known && layer.mode == network::UpsampleMode::nearest;
    case LayerType::add:
      return false;
    default:
      return output_is_known;
  }
}

std::int64_t bytes_needed(const Network& network, const Layer& layer, bool output_is_known) {
  const std::int64_t elements = layer.output.elements() * network.batch;
  switch (layer.type) {
    case LayerType::maxpool2d:
      return elements * bytes_per_mask_or_index;
    case LayerType::relu:
      return output_is_known ? 0 : elements * bytes_per_mask_or_index;
    case LayerType::batchnorm2d:
      return elements * network.element_bytes.activation;
    default:
      return 0;
  }
}

}  // namespace

WeightlessBackward weightless_backward(const Network& network, const LayerGroup& group,
                                       const std::set<std::size_t>& outputs) {
  std::set<std::size_t> known = outputs;
  std::map<std::size_t, std::size_t> told_by;  // [layer]: the output that shows its signs
  for (const std::size_t output : outputs) told_by.emplace(output, output);
  WeightlessBackward needs;
  for (auto follower = group.followers.rbegin(); follower != group.followers.rend(); ++follower) {
    const Layer& layer = network.layers[*follower];
    const bool output_is_known = known.contains(*follower);
    const auto told = told_by.find(*follower);
    const bool is_told = told != told_by.end();
    needs.bytes += bytes_needed(network, layer, output_is_known);
    if (is_told && layer.type == LayerType::relu) needs.read_outputs.insert(told->second);
    if (!shows_signs_of_input(layer, output_is_known)) continue;
    known.insert(layer.inputs.begin(), layer.inputs.end());
    const bool is_stored = layer.type == LayerType::batchnorm2d;
    if (!is_told || is_stored) continue;
    for (const std::size_t input : layer.inputs) told_by.emplace(input, told->second);
  }
  return needs;
}

}  // namespace layerpipe::costs
