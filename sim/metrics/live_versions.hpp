#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/schedule.hpp"
#include "sim/events.hpp"

namespace layerpipe::sim {

/// Counts the versions of weights and activations that a layer's own processor keeps at once.
///
/// A minibatch keeps the input of layer l from the start of FP(l) to the end of G(l). Weights are
/// kept from the update that makes them to the end of the backward pass, on the layer's processor,
/// of the last minibatch that uses them; the newest ones always. Update m makes version m + 1, and
/// minibatch m uses version m - M(l), or the initial version 0 if that is negative.
///
/// Precondition: each operation is executed in order of minibatches.
class LiveVersions final : public EventSink {
 public:
  explicit LiveVersions(const scheduler::Schedule& schedule);

  void record(const Event& event) override;

  struct Most {
    std::int64_t weights = 1;
    std::int64_t activations = 0;
  };

  /// So far, of one layer.
  [[nodiscard]] Most most(std::size_t layer) const { return layers_[layer].most; }

 private:
  struct Layer {
    std::int64_t staleness = 0;
    scheduler::OpId forward = 0;
    scheduler::OpId weight_gradient = 0;
    std::vector<scheduler::OpId> users;  ///< of its weights or input, on its own processor
    Most most;
  };

  void count_activations(Layer& layer) const;
  void count_weights(Layer& layer) const;

  const scheduler::Schedule& schedule_;
  std::vector<Layer> layers_;
  std::vector<std::int64_t> started_;  ///< [op]: minibatches
  std::vector<std::int64_t> ended_;    ///< [op]: minibatches
};

}  // namespace layerpipe::sim
