#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scheduler/scheduler.hpp"

/// The options by which commands choose schedules, as in options.hpp.
namespace layerpipe::cli {

/// What schedulers read.
void add_scheduler_options(CLI::App& command, placement::SchedulerOptions& options);

/// The least delays with which the period is as good as with 2 S(l).
struct AutomaticDelays {
  friend bool operator==(const AutomaticDelays&, const AutomaticDelays&) = default;
};

/// What `--delays` asks for.
using DelaysChoice = std::variant<placement::Delays, AutomaticDelays>;

/// `--delays`, once or any number of times, with different values.
void add_delays_option(CLI::App& command, std::optional<DelaysChoice>& delays);
void add_delays_option(CLI::App& command, std::vector<DelaysChoice>& delays);

/// `--split`, which is among what schedulers read.
void add_split_option(CLI::App& command, costs::Split& split);

/// `--schedule`: one of the schedulers' names.
void add_schedule_option(CLI::App& command, const scheduler::Scheduler*& scheduler);

/// `--schedules`: several of them, or none for `all`.
void add_schedules_option(CLI::App& command, std::vector<const scheduler::Scheduler*>& schedulers);

/// `--allocation`, instead of `--schedule` and what schedulers read. Precondition: the command has
/// these options.
void add_allocation_option(CLI::App& command, std::optional<std::string>& file);

/// `--allocation` as often as there are files, beside `--schedules`.
void add_allocations_option(CLI::App& command, std::vector<std::string>& files);

/// `--schedule-file`, instead of `--schedule` and what schedulers read but the placement.
/// Precondition: the command has these options, and `--allocation`.
void add_schedule_file_option(CLI::App& command, std::optional<std::string>& file);

/// `--schedule-file` as often as there are files, beside `--schedules`.
void add_schedule_files_option(CLI::App& command, std::vector<std::string>& files);

/// Numbers of layers on each processor, or of each stage of a file.
using Stages = std::vector<std::int64_t>;

/// `--stages`, beside `--schedule`. Precondition: the command has `--allocation`.
void add_stages_option(CLI::App& command, std::optional<Stages>& stages);

/// `--stages` any number of times, beside `--schedules`.
void add_stages_option(CLI::App& command, std::vector<Stages>& stages);

}  // namespace layerpipe::cli
