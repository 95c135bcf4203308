#pragma once

#include <optional>
#include <string>

#include "scheduler/scheduler.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/least_delays.hpp"

namespace layerpipe::sim::cli {

/// What the user asks to schedule by: one of the schedulers, or an allocation in a file.
struct ScheduleChoice {
  scheduler::Scheduler scheduler;
  scheduler::SchedulerOptions options;
  std::optional<std::string> allocation = {};  ///< the file
  /// How the delays of the options were found, if they were searched for.
  std::optional<LeastDelays> auto_delays = {};

  /// Printable: the scheduler's name, or the file.
  [[nodiscard]] std::string label() const;
};

/// The allocation in `file`, whose split and delays replace those of `options`. Throws InputError
/// if it is none of the inputs' layers and processors.
[[nodiscard]] ScheduleChoice read_choice(const std::string& file,
                                         scheduler::SchedulerOptions options, const Inputs& inputs);

/// The same with other delays. Throws UsageError if the schedule has its own, or has not as many
/// layers.
[[nodiscard]] ScheduleChoice with_delays(ScheduleChoice choice, const DelaysChoice& delays,
                                         const Inputs& inputs);

/// The allocation in a file, if there is one, else `scheduler`; with `delays`, if there are any.
/// Throws as read_choice and with_delays do.
[[nodiscard]] ScheduleChoice choose(const scheduler::Scheduler& scheduler,
                                    const scheduler::SchedulerOptions& options,
                                    const std::optional<DelaysChoice>& delays,
                                    const std::optional<std::string>& allocation,
                                    const Inputs& inputs);

}  // namespace layerpipe::sim::cli
