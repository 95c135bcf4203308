#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "scheduler/schedule.hpp"
#include "sim/events.hpp"
#include "sim/metrics/batches.hpp"
#include "sim/metrics/minibatch_ends.hpp"
#include "sim/metrics/result.hpp"
#include "sim/metrics/steady_state.hpp"

namespace layerpipe::sim {

/// Latencies of several minibatches.
struct Latencies {
  double sum_cycles = 0.0;
  std::int64_t least_cycles = 0;
  std::int64_t most_cycles = 0;

  Latencies& operator+=(const Latencies& others);
};

/// How long minibatches take from the start of their first operation, a forward pass, to the end of
/// their last update. Memory is bounded.
class LatencyAccount final : public EventSink {
 public:
  /// `steady` is told everything before this.
  LatencyAccount(const scheduler::Schedule& schedule, std::int64_t minibatches,
                 const SteadyStateDetector& steady);

  void record(const Event& event) override;
  void date_over(std::int64_t next, const FlowsLeft& flows) override;

  /// Of the minibatches of `period`: those of its rhythm, or those that it is the mean over. It is
  /// what the detector says of the complete run.
  [[nodiscard]] Latency latency(const Period& period) const;

 private:
  void count(std::int64_t cycles);
  [[nodiscard]] Latency of_latest() const;
  [[nodiscard]] Latency of_batches(const Period& period) const;

  const SteadyStateDetector& steady_;
  MinibatchEnds minibatches_;
  MiddleHalf middle_half_;
  std::int64_t begun_ = 0;           ///< minibatches
  std::deque<std::int64_t> starts_;  ///< dates, of minibatches that have begun and not ended
  std::deque<std::int64_t> latest_;  ///< latencies, at most as many as states are kept
  Batches<Latencies> batches_;
  std::optional<Latencies> of_middle_half_;
  std::optional<Latency> of_exact_period_;
  std::optional<Latency> of_settled_period_;
};

}  // namespace layerpipe::sim
