#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "sim/events/events.hpp"

namespace layerpipe::metrics {

/// Counts, whenever an operation starts that waits for weights, which updates these lack. It takes
/// the versions in the order in which they are made: first the initial weights, as often as there
/// are tokens, then one for each update that has ended in the run, or arrived where the weights are
/// sent.
class UsedVersions final : public events::EventSink {
 public:
  explicit UsedVersions(const contract::Schedule& schedule);

  /// Throws InternalError if an operation starts before the version is there that it uses.
  void record(const events::Event& event) override;

  /// Of one layer, in updates by earlier minibatches; the most of any minibatch so far.
  struct Missing {
    std::int64_t in_forward = 0;   ///< of the weights of its forward pass
    std::int64_t in_backward = 0;  ///< of those of an input gradient, or a part of it
    std::int64_t pending = 0;      ///< that had not ended when a forward pass started
  };
  [[nodiscard]] const Missing& most(std::size_t layer) const { return layers_[layer]; }

  /// The run is complete, and had so many minibatches. Throws InternalError unless each layer lacks
  /// what the schedule says, less where the run has no more minibatches than that.
  void check(std::int64_t minibatches) const;

 private:
  /// What an operation waits for.
  struct Weights {
    contract::OpId update = 0;
    contract::TensorId tensor = contract::Edge::no_tensor;  ///< by which they are sent
    std::int64_t tokens = 0;
  };

  void count(contract::OpId op, std::int64_t minibatch, const Weights& weights);

  const contract::Schedule& schedule_;
  std::vector<std::vector<Weights>> used_by_;  ///< [op]
  std::vector<std::int64_t> ended_;            ///< [op]: minibatches
  std::vector<std::int64_t> arrived_;          ///< [tensor]: minibatches
  std::vector<Missing> layers_;
};

}  // namespace layerpipe::metrics
