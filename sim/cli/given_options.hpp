#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "scheduler/scheduler.hpp"

/// Options of schedulers that the user wrote, and not those in force by default.
namespace layerpipe::cli {

using GivenOptions = std::vector<scheduler::SchedulerOption>;

/// As on the command line: "--max-lent-bytes".
[[nodiscard]] std::string option_name(scheduler::SchedulerOption option);

/// Those that `command` was given, of the ones that it has. Precondition: it is parsed.
[[nodiscard]] GivenOptions given_options(const CLI::App& command);

/// Throws UsageError for the first of `given` that none of `chosen` reads.
void require_readers(const GivenOptions& given,
                     std::span<const scheduler::Scheduler* const> chosen);

}  // namespace layerpipe::cli
