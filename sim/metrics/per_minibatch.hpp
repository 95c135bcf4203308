#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "sim/events/channel.hpp"
#include "sim/events/events.hpp"
#include "sim/metrics/result.hpp"
#include "sim/metrics/steady_state.hpp"

namespace layerpipe::metrics {

/// Counts what one minibatch computes and moves, as the mean over the minibatches whose inputs were
/// all produced during the run: those after the initial tokens of every edge. A run too short to
/// have any counts its last minibatch.
class PerMinibatch final : public events::EventSink {
 public:
  /// `steady` is told everything before this.
  PerMinibatch(const contract::Schedule& schedule, const events::Channels& channels,
               std::int64_t minibatches, const SteadyStateDetector& steady);

  void record(const events::Event& event) override;

  /// True if the run need not go on: there is a minibatch that counts, and a period for all
  /// that is measured over one, or a mean that is good enough.
  [[nodiscard]] bool has_enough(std::int64_t minibatches_ended) const {
    return minibatches_ended > first_ && (steady_.has_passed() || steady_.settled_period());
  }
  /// The run is complete, and had so many minibatches. To be called before what follows.
  void finish(std::int64_t minibatches) { counted_ = minibatches - first_; }

  [[nodiscard]] std::int64_t busy_cycles(costs::ProcessorId processor) const;
  [[nodiscard]] std::int64_t bytes(std::size_t channel) const;
  [[nodiscard]] Communication communication() const;

 private:
  void count_operation(const events::Event& event);
  void count_transfer(const events::Event& event);
  [[nodiscard]] std::int64_t mean(std::int64_t sum) const { return sum / counted_; }

  const contract::Schedule& schedule_;
  const std::vector<std::size_t>& channel_of_tensor_;
  const SteadyStateDetector& steady_;
  std::int64_t first_;                           ///< minibatch counted
  std::int64_t counted_ = 1;                     ///< minibatches
  std::vector<std::int64_t> operation_started_;  ///< [op]: start of its latest execution
  std::vector<std::int64_t> processor_busy_;     ///< [processor]: cycles
  std::vector<std::int64_t> channel_bytes_;      ///< [channel]
  Communication sums_;
};

}  // namespace layerpipe::metrics
