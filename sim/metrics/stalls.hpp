#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/schedule.hpp"
#include "sim/events.hpp"
#include "sim/metrics/result.hpp"

namespace layerpipe::sim {

/// What one processor did with the time from 0 to the makespan, in cycles.
struct TimeUse {
  std::int64_t busy = 0;
  StallCycles stalls;
};

/// Accounts for every cycle of every processor. An idle interval belongs to the operation that ends
/// it, and there to the input that arrived last, which is when the interval ends: activation,
/// gradient, weights, or the processor's own update (weight_version). The part of it in which that
/// tensor was queued behind another is `channel`. Before a processor's first operation it is
/// `fill`, after its last `drain`; a processor without operations is all drain. If several inputs
/// arrive at that date, the one counts that comes first in the order gradient, activation, weights,
/// weight_version.
class StallAccount final : public EventSink {
 public:
  explicit StallAccount(const scheduler::Schedule& schedule);

  void record(const Event& event) override;

  /// One entry per processor; busy and stalls sum to `makespan`.
  [[nodiscard]] std::vector<TimeUse> time_use(std::int64_t makespan) const;

 private:
  struct Arrival {
    std::int64_t queued = 0;
    std::int64_t started = 0;
    std::int64_t date = -1;
  };
  struct ProcessorState {
    TimeUse use;
    bool has_executed = false;
    std::int64_t idle_since = 0;
    std::int64_t busy_since = 0;
  };

  void end_interval(ProcessorState& processor, scheduler::OpId op, std::int64_t date);
  [[nodiscard]] const scheduler::Edge& last_input(scheduler::OpId op, std::int64_t date) const;
  [[nodiscard]] Arrival arrival(const scheduler::Edge& edge) const;
  [[nodiscard]] Arrival arrival_of_last_part(const scheduler::Tensor& sum) const;
  [[nodiscard]] Arrival made_here(scheduler::OpId op) const;

  const scheduler::Schedule& schedule_;
  std::vector<std::vector<std::size_t>> inputs_;  ///< [op]: edges
  std::vector<std::int64_t> ended_;               ///< [op]: date of its latest end
  std::vector<Arrival> arrivals_;                 ///< [tensor]: the latest
  std::vector<std::int64_t> started_;             ///< [tensor]: start of its transfer under way
  std::vector<ProcessorState> processors_;
};

}  // namespace layerpipe::sim
