#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/scheduler.hpp"
#include "sim/cli/given_options.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/cli/scheduling_options.hpp"
#include "sim/process/provenance.hpp"
#include "sim/run/least_delays.hpp"

namespace layerpipe::cli {

/// What the user asks to schedule by: one of the schedulers, an allocation or a program in a
/// file, or stages.
struct ScheduleChoice {
  scheduler::Scheduler scheduler;
  placement::SchedulerOptions options;
  std::optional<process::InputFile> allocation = {};     ///< the file
  std::optional<Stages> stages = {};                     ///< that were given
  std::optional<process::InputFile> schedule_file = {};  ///< the file
  /// How the delays of the options were found, if they were searched for.
  std::optional<run::LeastDelays> auto_delays = {};
  /// Of one micro-batch, where the schedule has any.
  std::optional<costs::Profile> micro_batch_profile = {};

  /// That its plan is made from.
  [[nodiscard]] const costs::Profile& profile(const Inputs& inputs) const {
    return micro_batch_profile ? *micro_batch_profile : inputs.profile;
  }

  /// Printable: the scheduler's name, with its stages if they were given, or the file.
  [[nodiscard]] std::string label() const;
};

/// The allocation in `file`, whose split and delays replace those of `options`. Throws InputError
/// if it is none of the inputs' layers and processors.
[[nodiscard]] ScheduleChoice read_choice(const std::string& file,
                                         placement::SchedulerOptions options, const Inputs& inputs);

/// The program in `file`, whose micro-batches replace those of `options`. Throws InputError.
[[nodiscard]] ScheduleChoice read_schedule_file(const std::string& file,
                                                const std::optional<Stages>& stages,
                                                placement::SchedulerOptions options);

/// Whether `read_stages` knows an order of this name.
[[nodiscard]] bool takes_stages(const scheduler::Scheduler& scheduler);

/// Whole layers as `stages` say, in the order of `scheduler`. Throws UsageError if it has none to
/// lend to a placement, InfeasibleError if these are no stages of the inputs.
[[nodiscard]] ScheduleChoice read_stages(const Stages& stages,
                                         const scheduler::Scheduler& scheduler,
                                         const placement::SchedulerOptions& options,
                                         const Inputs& inputs);

/// The same with other delays. Throws UsageError if the schedule has its own, or has not as many
/// layers.
[[nodiscard]] ScheduleChoice with_delays(ScheduleChoice choice, const DelaysChoice& delays,
                                         const Inputs& inputs);

/// The same with the number of micro-batches in force, if the schedule reads it, and their profile.
/// Throws InfeasibleError if they do not divide the batch.
[[nodiscard]] ScheduleChoice in_micro_batches(ScheduleChoice choice, const Inputs& inputs);

/// What a command with one schedule is asked for.
struct ScheduleOptions {
  const scheduler::Scheduler* scheduler = nullptr;
  placement::SchedulerOptions values;
  std::optional<DelaysChoice> delays;
  std::optional<std::string> allocation;          ///< a file, instead of the scheduler
  std::optional<Stages> stages = {};              ///< instead of the scheduler's own placement
  std::optional<std::string> schedule_file = {};  ///< instead of the scheduler
  GivenOptions given;
};

/// `provenance`, with the files that choices and their inputs were read from.
[[nodiscard]] process::Provenance with_files(process::Provenance provenance, const Inputs& inputs,
                                             const std::vector<ScheduleChoice>& choices);

/// Throws as read_choice and with_delays do, and UsageError if an option is given that the schedule
/// does not read.
[[nodiscard]] ScheduleChoice choose(const ScheduleOptions& options, const Inputs& inputs);

}  // namespace layerpipe::cli
