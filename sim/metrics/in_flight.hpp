#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "sim/events/events.hpp"
#include "sim/metrics/live_counts.hpp"
#include "sim/metrics/result.hpp"

namespace layerpipe::metrics {

/// Counts the micro-batches (whole minibatches, where there are none) that each processor has in
/// flight, one for each of its stages: from the start of the stage's first forward pass to the end
/// of the last of its input gradients there, and to that of the last of its weight gradients. What
/// is there at a date is as in LiveCounts.
class InFlight final : public events::EventSink {
 public:
  explicit InFlight(const contract::Schedule& schedule);

  void record(const events::Event& event) override;

  /// At any date so far.
  [[nodiscard]] PeakMicroBatches peak(costs::ProcessorId processor) const;

 private:
  /// Of one processor.
  struct Count {
    std::int64_t now = 0;
    std::int64_t peak = 0;  ///< up to the date before the last
  };

  [[nodiscard]] std::int64_t peak_of(std::size_t count) const;

  std::vector<std::size_t> count_of_lifetime_;
  LiveCounts lifetimes_;
  std::vector<Count> counts_;  ///< two for each processor: until input and weight gradients
  std::int64_t date_ = 0;
};

}  // namespace layerpipe::metrics
