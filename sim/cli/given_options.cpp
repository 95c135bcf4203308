#include "sim/cli/given_options.hpp"

#include <fmt/format.h>

#include "workloads/base/error.hpp"

namespace layerpipe::cli {

using scheduler::SchedulerOption;

std::string option_name(SchedulerOption option) { return fmt::format("--{}", to_string(option)); }

GivenOptions given_options(const CLI::App& command) {
  GivenOptions given;
  for (const SchedulerOption option : scheduler::all_scheduler_options) {
    const CLI::Option* declared = command.get_option_no_throw(option_name(option));
    if (declared != nullptr && declared->count() > 0) given.push_back(option);
  }
  return given;
}

void require_readers(const GivenOptions& given,
                     std::span<const scheduler::Scheduler* const> chosen) {
  for (const SchedulerOption option : given) {
    const std::string problem = scheduler::misuse(option, chosen);
    if (!problem.empty()) throw UsageError(fmt::format("{}: {}", option_name(option), problem));
  }
}

}  // namespace layerpipe::cli
