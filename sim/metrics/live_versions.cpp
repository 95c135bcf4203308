#include "sim/metrics/live_versions.hpp"

#include <algorithm>

namespace layerpipe::sim {

using scheduler::LayerLifetimes;
using scheduler::Lifetime;

namespace {

/// Those of each layer in a row: weights, activations, lent weights, queued inputs.
std::vector<Lifetime> lifetimes(const std::vector<LayerLifetimes>& layers) {
  std::vector<Lifetime> result;
  for (const LayerLifetimes& layer : layers) {
    result.push_back(layer.weights);
    result.push_back(layer.activations);
    result.push_back(layer.lent_weights.value_or(Lifetime{}));
    result.insert(result.end(), layer.queued.begin(), layer.queued.end());
  }
  return result;
}

}  // namespace

LiveVersions::LiveVersions(const scheduler::Schedule& schedule)
    : LiveVersions(schedule, scheduler::layer_lifetimes(schedule)) {}

LiveVersions::LiveVersions(const scheduler::Schedule& schedule,
                           const std::vector<LayerLifetimes>& layers)
    : counts_(schedule, lifetimes(layers)) {
  std::size_t next = 0;
  for (const LayerLifetimes& layer : layers) {
    layers_.push_back({next, layer.queued.size()});
    next += 3 + layer.queued.size();
  }
}

LiveVersions::Most LiveVersions::most(std::size_t layer) const {
  const auto [first, inputs] = layers_[layer];
  Most most{counts_.most(first), counts_.most(first + 1), counts_.most(first + 2), 0};
  for (std::size_t i = 0; i < inputs; ++i) {
    most.queued = std::max(most.queued, counts_.most(first + 3 + i));
  }
  return most;
}

}  // namespace layerpipe::sim
