#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/memory/holdings.hpp"
#include "sim/events/events.hpp"
#include "sim/metrics/live_tallies.hpp"

namespace layerpipe::metrics {

/// Counts the versions of weights and activations that a layer's own processor keeps at once
/// (memory::layer_lifetimes), and the inputs that wait there for its forward pass.
class LiveVersions final : public events::EventSink {
 public:
  explicit LiveVersions(const contract::Schedule& schedule);

  void record(const events::Event& event) override { tallies_.record(event); }

  struct Most {
    std::int64_t weights = 0;
    std::int64_t activations = 0;
    /// On a processor that has borrowed a part of its input gradient; of several, the one with
    /// most.
    std::int64_t lent_weights = 0;
    /// Micro-batches of an input; of several inputs, of the one that waits most often.
    std::int64_t queued = 0;
  };

  /// At any date so far, of one layer.
  [[nodiscard]] Most most(std::size_t layer) const;

 private:
  /// Its part of `tallies_`: weights, activations, weights of each borrower, each of its inputs.
  struct Layer {
    std::size_t first = 0;
    std::size_t borrowers = 0;
    std::size_t inputs = 0;
  };

  LiveVersions(const contract::Schedule& schedule,
               const std::vector<memory::LayerLifetimes>& layers);

  /// Of so many entries of `tallies_`, the one with most; 0 of none.
  [[nodiscard]] std::int64_t most_of(std::size_t first, std::size_t count) const;

  LiveTallies tallies_;
  std::vector<Layer> layers_;
};

}  // namespace layerpipe::metrics
