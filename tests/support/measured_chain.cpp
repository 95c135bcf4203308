#include "tests/support/measured_chain.hpp"

#include <algorithm>
#include <string>

#include "tests/support/with_links.hpp"

namespace layerpipe::tests {

network::Network measured_chain(const std::vector<LayerCosts>& of_micro_batch,
                                std::int64_t micro_batches) {
  network::Network network;
  network.name = "measured chain";
  network.batch = micro_batches;
  for (const LayerCosts& costs : of_micro_batch) {
    network::Layer& layer = network.layers.emplace_back();
    const std::size_t place = network.layers.size() - 1;
    layer.name = "layer" + std::to_string(place + 1);
    layer.type = network::LayerType::measured;
    layer.inputs = {place == 0 ? network::Layer::network_input : place - 1};
    layer.measured = {.forward = {micro_batches * costs.forward},
                      .input_gradient = {micro_batches * costs.input_gradient},
                      .weight_gradient = {micro_batches * costs.weight_gradient},
                      .activation_bytes = micro_batches * costs.activation_bytes,
                      .weight_bytes = costs.weight_bytes};
  }
  return network;
}

std::vector<LayerCosts> equal_layers(std::size_t count, const LayerCosts& costs) {
  return std::vector<LayerCosts>(count, costs);
}

placement::SchedulerOptions evenly(std::int64_t micro_batches, std::int64_t chunks) {
  placement::SchedulerOptions options;
  options.micro_batches = micro_batches;
  options.chunks = chunks;
  options.placement = placement::PlacementRule::even;
  return options;
}

machine::Machine with_latencies(const machine::Machine& mesh,
                                const std::vector<std::int64_t>& latency) {
  constexpr double clock_hertz = 1e9;
  std::vector<machine::Link> links = mesh.links;
  const std::size_t processors = mesh.processors.size();
  for (std::size_t from = 0; from < processors; ++from) {
    for (std::size_t to = 0; to < processors; ++to) {
      if (from == to) continue;
      const std::size_t first = std::min(from, to);
      const bool are_neighbours = std::max(from, to) == first + 1;
      const std::int64_t cycles = are_neighbours ? latency[first] : latency.back();
      machine::Link& link = links[mesh.route(from, to).links.front()];
      link.latency_seconds = static_cast<double>(cycles) / clock_hertz;
      link.bytes_per_second = 1e18;
    }
  }
  return with_links(mesh, clock_hertz, links);
}

}  // namespace layerpipe::tests
