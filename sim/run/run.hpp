#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/metrics/result.hpp"
#include "sim/process/provenance.hpp"
#include "sim/trace/picture/chart.hpp"
#include "sim/trace/trace_recorder.hpp"
#include "workloads/network/network.hpp"

namespace layerpipe::run {

inline constexpr double default_tolerance = 1e-3;
inline constexpr std::int64_t iterations_by_default = 200;
inline constexpr std::int64_t most_until_steady = 5000;  ///< iterations, by default

/// One simulation: a network on a machine under one schedule.
struct RunRequest {
  const machine::Machine& machine;
  const network::Network& network;
  const costs::Profile& profile;  ///< of a micro-batch
  const scheduler::Scheduler& scheduler;
  placement::SchedulerOptions scheduler_options;
  std::int64_t iterations = iterations_by_default;
  /// The run need not go on when its period is proven, or known within the tolerance: iterations
  /// are the most that it has.
  bool until_steady = false;
  double tolerance = default_tolerance;  ///< of the period, relative
  nlohmann::ordered_json options;        ///< copied into the result
  /// To be written, each whole or not at all, in the format of its suffix (make_trace_writer).
  std::vector<std::string> trace_files = {};
  std::optional<trace::TraceWindow> trace_window =
      std::nullopt;  ///< what traces show; all, if empty
  /// What pictures and charts show instead, if not empty.
  std::optional<trace::TraceWindow> picture_window = std::nullopt;
  /// Called in the run's own process, if not empty, with the number of minibatches finished.
  std::function<void(std::int64_t)> progress = {};
  std::optional<process::Provenance> provenance = std::nullopt;  ///< for traces
  /// Of a minibatch on one processor; without, all of `profile`.
  std::optional<std::int64_t> one_processor_cycles = std::nullopt;
};

/// Plans the schedule and simulates it in a process of its own, so that it can be called again and
/// again. With `until_steady`, what is of the steady state is what it is in the whole run, and what
/// is of the whole run is that of a run of the iterations that were simulated; traces have their
/// window. Precondition: the machine was loaded by load_machine in this process.
[[nodiscard]] metrics::Result run(const RunRequest& request);

struct ChartedRun {
  metrics::Result result;
  trace::Chart chart;  ///< of what traces show
};

/// The same. Throws InfeasibleError also if a picture has no room for what it would show, before
/// the run where that is certain.
[[nodiscard]] ChartedRun run_with_chart(const RunRequest& request);

/// The same in this process, and without traces. The process is to do nothing else afterwards: it
/// can run once, and SimGrid may crash.
[[nodiscard]] metrics::Result run_in_this_process(const RunRequest& request);

}  // namespace layerpipe::run
