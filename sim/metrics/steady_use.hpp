#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "sim/events/channel.hpp"
#include "sim/events/events.hpp"
#include "sim/metrics/steady_state.hpp"

namespace layerpipe::metrics {

/// What processors and channels do in a stretch of a run.
struct MeasuredUse {
  double cycles = 0.0;                         ///< length of the stretch
  std::vector<std::int64_t> processor_cycles;  ///< [processor]: busy
  std::vector<std::int64_t> channel_cycles;    ///< [channel]: from starts of transfers to arrivals
  std::vector<std::int64_t> channel_bytes;     ///< [channel]: of transfers that arrive
};

/// Measures the steady state: the exact period behind the two by which it was found, or, where the
/// run has not passed one, the whole run. What is under way counts when it ends. In a whole run
/// nothing is left under way, and both ends of an exact period have the same under way: so no
/// processor, channel or link has more to do in it than it can.
class SteadyUse final : public events::EventSink {
 public:
  /// `steady` is told everything before this.
  SteadyUse(const contract::Schedule& schedule, const events::Channels& channels,
            const SteadyStateDetector& steady);

  void record(const events::Event& event) override;
  void date_over(std::int64_t next, const events::FlowsLeft& flows) override;

  /// Precondition: the run is complete.
  [[nodiscard]] MeasuredUse use(std::int64_t makespan) const;

 private:
  const contract::Schedule& schedule_;
  const std::vector<std::size_t>& channel_of_tensor_;
  const SteadyStateDetector& steady_;
  std::vector<std::int64_t> operation_started_;  ///< [op]: start of its latest execution
  std::vector<std::int64_t> transfer_started_;   ///< [tensor]: start of its latest transfer
  MeasuredUse run_;                              ///< up to now
  std::optional<MeasuredUse> before_period_;
  std::optional<MeasuredUse> after_period_;
};

/// Part of `available` cycles in which what is called `name` is busy for `busy` cycles. Throws
/// InternalError if it is busy for more, beyond a cycle of rounding.
[[nodiscard]] double busy_fraction(double busy, double available, const std::string& name);

}  // namespace layerpipe::metrics
