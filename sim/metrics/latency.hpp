#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "scheduler/contract/schedule.hpp"
#include "sim/events/events.hpp"
#include "sim/metrics/batches.hpp"
#include "sim/metrics/minibatch_ends.hpp"
#include "sim/metrics/result.hpp"
#include "sim/metrics/steady_state.hpp"

namespace layerpipe::metrics {

/// Latencies of several minibatches.
struct Latencies {
  double sum_cycles = 0.0;
  std::int64_t least_cycles = 0;
  std::int64_t most_cycles = 0;

  Latencies& operator+=(const Latencies& others);
};

/// How long minibatches take from the start of their first operation, a forward pass, to the end of
/// their last update. Memory is bounded.
class LatencyAccount final : public events::EventSink {
 public:
  /// `steady` is told everything before this.
  LatencyAccount(const contract::Schedule& schedule, std::int64_t minibatches,
                 const SteadyStateDetector& steady);

  void record(const events::Event& event) override;
  void date_over(std::int64_t next, const events::FlowsLeft& flows) override;

  /// Of K minibatches that began one after the other in the rhythm of an exact `period`, or of
  /// those that it is the mean over. It is what the detector says of the complete run. None where
  /// too few minibatches have begun in the rhythm and ended before the drain, or where it grows.
  [[nodiscard]] std::optional<Latency> latency(const Period& period) const;

  /// Where the latency of a mean `period` grew as long as it was watched: of 16 to 31 equal parts
  /// of the minibatches that it is the mean over each has a greater one than the part before, by 1
  /// % in all or more, and without levelling off. None where there are fewer parts. In the rhythm
  /// of an exact period nothing grows.
  [[nodiscard]] std::optional<LatencyGrowth> growth(const Period& period) const;

  /// True if the run need not go on for this.
  [[nodiscard]] bool has_enough() const { return of_exact_period_ || of_settled_period_; }

 private:
  /// Minibatches at the end of a date at which some have ended.
  struct Progress {
    std::int64_t ended = 0;
    std::int64_t begun = 0;
  };

  /// Of the minibatches that a period is the mean over.
  struct OfMean {
    Latency latency;
    std::optional<LatencyGrowth> growth;
  };

  void count(std::int64_t cycles);
  void note_progress();
  [[nodiscard]] std::optional<Latency> of_rhythm() const;
  [[nodiscard]] OfMean of_batches(const Period& period) const;
  [[nodiscard]] OfMean of_mean(const Period& period) const;

  const SteadyStateDetector& steady_;
  MinibatchEnds minibatches_;
  MiddleHalf middle_half_;
  std::int64_t begun_ = 0;           ///< minibatches
  std::deque<std::int64_t> starts_;  ///< dates, of minibatches that have begun and not ended
  std::deque<Progress> progress_;    ///< at the latest ends, as many as states are kept
  std::deque<std::int64_t> latest_;  ///< latencies, of minibatches that ended before the drain
  Batches<Latencies> batches_;
  std::optional<Latencies> of_middle_half_;
  Batches<Latencies> batches_of_middle_half_;
  std::optional<Latency> of_exact_period_;
  std::optional<OfMean> of_settled_period_;
};

}  // namespace layerpipe::metrics
