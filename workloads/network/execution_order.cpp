#include "workloads/network/execution_order.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace layerpipe::network {
namespace {

/// The layers that take the output of each layer, as often as they take it.
std::vector<std::vector<std::size_t>> consumers(std::span<const Layer> layers) {
  std::vector<std::vector<std::size_t>> result(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const std::size_t input : layers[i].inputs) {
      if (input != Layer::network_input) result[input].push_back(i);
    }
  }
  return result;
}

}  // namespace

std::vector<std::size_t> execution_order(std::span<const Layer> layers) {
  const std::vector<std::vector<std::size_t>> consumers_of = consumers(layers);
  std::vector<std::size_t> missing(layers.size(), 0);
  for (const auto& consumers : consumers_of) {
    for (const std::size_t consumer : consumers) ++missing[consumer];
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (missing[i] == 0) ready.push(i);
  }
  std::vector<std::size_t> order;
  order.reserve(layers.size());
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::size_t consumer : consumers_of[order.back()]) {
      if (--missing[consumer] == 0) ready.push(consumer);
    }
  }
  return order;
}

/// Whatever has no place in the order has an input that has none: walking from input to input among
/// these comes back to a layer.
std::vector<std::size_t> find_cycle(std::span<const Layer> layers) {
  std::vector<bool> is_ordered(layers.size(), false);
  for (const std::size_t i : execution_order(layers)) is_ordered[i] = true;
  const auto is_open = [&](std::size_t i) { return i != Layer::network_input && !is_ordered[i]; };

  std::vector<std::size_t> walk;
  std::vector<bool> is_visited(layers.size(), false);
  const auto first_open = std::find(is_ordered.begin(), is_ordered.end(), false);
  auto at = static_cast<std::size_t>(first_open - is_ordered.begin());
  while (!is_visited[at]) {
    is_visited[at] = true;
    walk.push_back(at);
    at = *std::find_if(layers[at].inputs.begin(), layers[at].inputs.end(), is_open);
  }
  std::vector<std::size_t> cycle(std::find(walk.begin(), walk.end(), at), walk.end());
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

}  // namespace layerpipe::network
