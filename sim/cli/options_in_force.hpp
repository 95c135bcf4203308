#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/scheduler.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/process/provenance.hpp"
#include "sim/run/least_delays.hpp"

namespace layerpipe::cli {

/// What a command was told, or does by default. A member that the command has no use for is empty.
struct OptionsInForce {
  const scheduler::Scheduler* scheduler = nullptr;
  std::optional<placement::SchedulerOptions> scheduler_options = {};
  std::optional<std::int64_t> iterations = {};
  std::optional<process::InputFile> allocation = {};     ///< that placed the layers
  std::optional<process::InputFile> schedule_file = {};  ///< that orders the operations
  std::optional<std::vector<std::int64_t>> stages = {};  ///< that were given
  /// How the delays among the scheduler's options were found, if they were searched for.
  std::optional<run::LeastDelays> auto_delays = {};
  std::optional<costs::Split> split = {};  ///< where it is not one of the scheduler's options
  std::optional<bool> until_steady = {};
  std::optional<double> tolerance = {};
};

/// The object `options` of reports (docs/formats/result.md). It names no output files: the same
/// input gives the same report.
[[nodiscard]] nlohmann::ordered_json to_json(const OptionsInForce& options, const Inputs& inputs);

}  // namespace layerpipe::cli
