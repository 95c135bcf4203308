#pragma once

#include "scheduler/contract/schedule.hpp"
#include "sim/events/events.hpp"
#include "sim/metrics/live_tallies.hpp"
#include "sim/metrics/result.hpp"

namespace layerpipe::metrics {

/// Counts the micro-batches (whole minibatches, where there are none) that each processor has in
/// flight, one for each of its stages: from the start of the stage's first forward pass to the end
/// of the last of its input gradients there, and to that of the last of its weight gradients. What
/// is there at a date is as in LiveCounts.
class InFlight final : public events::EventSink {
 public:
  explicit InFlight(const contract::Schedule& schedule);

  void record(const events::Event& event) override { tallies_.record(event); }

  /// At any date so far.
  [[nodiscard]] PeakMicroBatches peak(costs::ProcessorId processor) const;

 private:
  LiveTallies tallies_;  ///< two for each processor: until input and weight gradients
};

}  // namespace layerpipe::metrics
