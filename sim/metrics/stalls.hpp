#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "sim/events/events.hpp"
#include "sim/metrics/result.hpp"

namespace layerpipe::metrics {

enum class StallCause {
  fill,
  activation,
  gradient,
  weights,
  weight_version,
  channel,
  sharing,
  drain
};

/// All of them, in the order of their numbers.
inline constexpr std::array all_stall_causes{
    StallCause::fill,           StallCause::activation, StallCause::gradient, StallCause::weights,
    StallCause::weight_version, StallCause::channel,    StallCause::sharing,  StallCause::drain};

/// The name of its member of StallCycles: "fill", "weight_version".
[[nodiscard]] std::string_view to_string(StallCause cause);

[[nodiscard]] std::int64_t& of_cause(StallCycles& stalls, StallCause cause);

/// A processor executes nothing from `start` to `end`, in cycles; never empty.
struct StallInterval {
  costs::ProcessorId processor = 0;
  StallCause cause = StallCause::fill;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// Is told the stalls of a run one by one, those of a processor in order of time.
class StallListener {
 public:
  virtual ~StallListener() = default;
  virtual void stalled(const StallInterval& stall) = 0;
};

/// What one processor did with the time from 0 to the makespan, in cycles.
struct TimeUse {
  std::int64_t busy = 0;
  StallCycles stalls;
};

/// Accounts for every cycle of every processor. An idle interval belongs to the operation that ends
/// it, and there to the input that arrived last, which is when the interval ends: activation,
/// gradient, weights, or the processor's own update (weight_version). The part of it in which that
/// tensor was queued behind another is `channel`, and that by which its transfer took longer than
/// it would alone, because others used its links, `sharing`: the end of the interval. Before a
/// processor's first operation it is `fill`, after its last `drain`; a processor without operations
/// is all drain. If several inputs arrive at that date, the one counts that comes first in the
/// order gradient, activation, weights, weight_version.
class StallAccount final : public events::EventSink {
 public:
  /// `cycles_alone` of each tensor's transfer; without, no transfer is held to share its links.
  explicit StallAccount(const contract::Schedule& schedule,
                        std::vector<std::int64_t> cycles_alone = {});

  /// Tells `listener` every stall from now on, when it ends and before the operation that ends it
  /// starts.
  void listen(StallListener& listener) { listeners_.push_back(&listener); }

  void record(const events::Event& event) override;

  /// Tells the listeners the drain of every processor.
  void finish(std::int64_t makespan) const;

  /// One entry per processor; busy and stalls sum to `makespan`.
  [[nodiscard]] std::vector<TimeUse> time_use(std::int64_t makespan) const;

 private:
  struct Arrival {
    std::int64_t queued = 0;
    std::int64_t started = 0;
    std::int64_t alone = 0;  ///< date at which it would have arrived without others on its links
    std::int64_t date = -1;
  };
  struct ProcessorState {
    TimeUse use;
    bool has_executed = false;
    std::int64_t idle_since = 0;
    std::int64_t busy_since = 0;
  };

  void end_interval(contract::OpId op, std::int64_t date);
  void account(const StallInterval& stall);
  [[nodiscard]] const contract::Edge& last_input(contract::OpId op, std::int64_t date) const;
  [[nodiscard]] Arrival arrival(const contract::Edge& edge) const;
  [[nodiscard]] Arrival arrival_of_last_part(const contract::Tensor& sum) const;
  [[nodiscard]] Arrival arrival_of_transfer(const events::Event& event) const;
  [[nodiscard]] Arrival made_here(contract::OpId op) const;

  const contract::Schedule& schedule_;
  const std::vector<std::int64_t> cycles_alone_;  ///< [tensor]; empty if nothing is shared
  std::vector<std::vector<std::size_t>> inputs_;  ///< [op]: edges
  std::vector<std::int64_t> ended_;               ///< [op]: date of its latest end
  std::vector<Arrival> arrivals_;                 ///< [tensor]: the latest
  std::vector<std::int64_t> started_;             ///< [tensor]: start of its transfer under way
  std::vector<ProcessorState> processors_;
  std::vector<StallListener*> listeners_;
};

}  // namespace layerpipe::metrics
