#include "sim/metrics/live_versions.hpp"

#include <algorithm>

namespace layerpipe::metrics {

using memory::LayerLifetimes;
using memory::Lifetime;

namespace {

/// Those of each layer in a row: weights, activations, then lent weights, then queued inputs.
std::vector<Lifetime> lifetimes(const std::vector<LayerLifetimes>& layers) {
  std::vector<Lifetime> result;
  for (const LayerLifetimes& layer : layers) {
    result.push_back(layer.weights);
    result.push_back(layer.activations);
    result.insert(result.end(), layer.lent_weights.begin(), layer.lent_weights.end());
    result.insert(result.end(), layer.queued.begin(), layer.queued.end());
  }
  return result;
}

}  // namespace

LiveVersions::LiveVersions(const contract::Schedule& schedule)
    : LiveVersions(schedule, memory::layer_lifetimes(schedule)) {}

LiveVersions::LiveVersions(const contract::Schedule& schedule,
                           const std::vector<LayerLifetimes>& layers)
    : counts_(schedule, lifetimes(layers)) {
  std::size_t next = 0;
  for (const LayerLifetimes& layer : layers) {
    layers_.push_back({next, layer.lent_weights.size(), layer.queued.size()});
    next += 2 + layer.lent_weights.size() + layer.queued.size();
  }
}

std::int64_t LiveVersions::most_of(std::size_t first, std::size_t count) const {
  std::int64_t most = 0;
  for (std::size_t i = first; i < first + count; ++i) most = std::max(most, counts_.most(i));
  return most;
}

LiveVersions::Most LiveVersions::most(std::size_t layer) const {
  const auto [first, borrowers, inputs] = layers_[layer];
  return {counts_.most(first), counts_.most(first + 1), most_of(first + 2, borrowers),
          most_of(first + 2 + borrowers, inputs)};
}

}  // namespace layerpipe::metrics
