#include "sim/metrics/live_versions.hpp"

#include <algorithm>

namespace layerpipe::metrics {

using memory::LayerLifetimes;
using memory::Lifetime;

namespace {

/// Those of each layer in a row: weights, activations, then lent weights, then queued inputs.
TalliedLifetimes lifetimes(const std::vector<LayerLifetimes>& layers) {
  TalliedLifetimes result;
  for (const LayerLifetimes& layer : layers) {
    result.add(layer.weights, result.tallies);
    result.add(layer.activations, result.tallies);
    for (const Lifetime& lent : layer.lent_weights) result.add(lent, result.tallies);
    for (const std::vector<Lifetime>& input : layer.queued) {
      const std::size_t tally = result.tallies;
      for (const Lifetime& of_micro_batch : input) result.add(of_micro_batch, tally);
    }
  }
  return result;
}

}  // namespace

LiveVersions::LiveVersions(const contract::Schedule& schedule)
    : LiveVersions(schedule, memory::layer_lifetimes(schedule)) {}

LiveVersions::LiveVersions(const contract::Schedule& schedule,
                           const std::vector<LayerLifetimes>& layers)
    : tallies_(schedule, lifetimes(layers)) {
  std::size_t next = 0;
  for (const LayerLifetimes& layer : layers) {
    layers_.push_back({next, layer.lent_weights.size(), layer.queued.size()});
    next += 2 + layer.lent_weights.size() + layer.queued.size();
  }
}

std::int64_t LiveVersions::most_of(std::size_t first, std::size_t count) const {
  std::int64_t most = 0;
  for (std::size_t i = first; i < first + count; ++i) most = std::max(most, tallies_.most(i));
  return most;
}

LiveVersions::Most LiveVersions::most(std::size_t layer) const {
  const auto [first, borrowers, inputs] = layers_[layer];
  return {tallies_.most(first), tallies_.most(first + 1), most_of(first + 2, borrowers),
          most_of(first + 2 + borrowers, inputs)};
}

}  // namespace layerpipe::metrics
