#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/placement/delays.hpp"
#include "scheduler/theory/recurrence.hpp"

namespace layerpipe::theory {

/// Cycles per minibatch of a schedule, as far as a run of some length shows them.
using PeriodOf = std::function<double(const contract::Schedule&)>;

/// A schedule of one placement, with such delays.
using ScheduleOf = std::function<contract::Schedule(const placement::Staleness&)>;

/// How little staleness is enough for the period that LayerPipe has with M(l) = 2 S(l).
struct LeastStaleness {
  /// Least with which no loop of operations and transfers has more cycles per delay than the
  /// slowest processor: with less, the period is longer, however long the run. With slow links it
  /// may be above 2 S(l).
  placement::Staleness of_ratio;
  /// Least with which the period is as good as with 2 S(l), nowhere above 2 S(l).
  placement::Staleness found;
  double period_cycles = 0.0;                   ///< with `found`
  double twice_stages_after_period_cycles = 0;  ///< with 2 S(l)
  std::int64_t slowest_processor_cycles = 0;

  /// Whether 2 S(l) reaches the bound at all.
  [[nodiscard]] bool reaches_bound() const {
    return twice_stages_after_period_cycles <= static_cast<double>(slowest_processor_cycles);
  }
};

/// Searches among the schedules that `schedule_of` makes of layers on `stage_of_layer`. Both
/// vectors are least entry by entry: one less anywhere makes the ratio, or the period, greater.
/// There may be others with another balance between layers; of those, the layers nearest to the
/// input have been lowered first.
///
/// The search starts from the vector of the ratio, adds 1 to every entry until the period is as
/// good, then takes 1 off single entries for as long as it stays so. A period counts as no less
/// than the critical loop's cycles per delay, so that a run that is too short to show its period
/// does not hide a loop. `transfer_cycles` are as in `timetable`. Throws InfeasibleError if
/// operations take no time.
[[nodiscard]] LeastStaleness least_staleness(const ScheduleOf& schedule_of,
                                             const std::vector<costs::ProcessorId>& stage_of_layer,
                                             const TransferCycles& transfer_cycles,
                                             const PeriodOf& period);

}  // namespace layerpipe::theory
