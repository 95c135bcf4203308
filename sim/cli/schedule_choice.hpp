#pragma once

#include <optional>
#include <string>

#include "scheduler/scheduler.hpp"
#include "sim/cli/inputs.hpp"

namespace layerpipe::sim::cli {

/// What the user asks to schedule by: one of the schedulers, or an allocation in a file.
struct ScheduleChoice {
  scheduler::Scheduler scheduler;
  scheduler::SchedulerOptions options;
  std::optional<std::string> allocation;  ///< the file

  /// Printable: the scheduler's name, or the file.
  [[nodiscard]] std::string label() const;
};

/// The allocation in `file`, whose split replaces that of `options`. Throws InputError if it is
/// none of the inputs' layers and processors.
[[nodiscard]] ScheduleChoice read_choice(const std::string& file,
                                         scheduler::SchedulerOptions options, const Inputs& inputs);

/// The allocation in a file, if there is one, else `scheduler`. Throws as read_choice does.
[[nodiscard]] ScheduleChoice choose(const scheduler::Scheduler& scheduler,
                                    const scheduler::SchedulerOptions& options,
                                    const std::optional<std::string>& allocation,
                                    const Inputs& inputs);

}  // namespace layerpipe::sim::cli
