#include "sim/sweep/run_points.hpp"

#include <fmt/format.h>

#include <utility>

#include "platforms/file/generate.hpp"
#include "scheduler/costs/profile.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/engine/platform_in_memory.hpp"
#include "sim/process/complaint.hpp"
#include "sim/process/isolated_process.hpp"
#include "sim/run/run.hpp"
#include "sim/sweep/rows.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/resource_error.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::sweep {
namespace {

constexpr std::string_view infeasible = "infeasible";
constexpr std::string_view deadlock = "deadlock";

machine::Machine load(const Point& point) {
  if (point.platform != nullptr) return engine::load_machine(point.platform->file);
  const engine::PlatformInMemory file(file::platform_xml(point.machine));
  machine::Machine machine = engine::load_machine(file.path());
  machine.name = "the generated platform";
  return machine;
}

/// In this process, on the machine that it has loaded.
metrics::Result simulate_point(machine::Machine machine, const Point& point) {
  machine.array = point.machine.array;
  machine =
      first_processors(std::move(machine), static_cast<std::size_t>(point.machine.processors));
  const SweepWorkload& workload = *point.workload;
  const std::optional<std::int64_t> batch =
      point.batch == workload.batch ? std::nullopt : std::optional(point.batch);
  const network::Network network = read::parse_network(workload.text, workload.file, batch);
  placement::SchedulerOptions options;
  options.split = point.split;
  options.micro_batches =
      scheduler::default_micro_batches(network.batch, machine.processors.size());
  const costs::Profile profile =
      costs::profile(machine, network, {.micro_batches = point.scheduler->micro_batches(options)});
  return run::run_in_this_process(
      {.machine = machine,
       .network = network,
       .profile = profile,
       .scheduler = *point.scheduler,
       .scheduler_options = options,
       .iterations = point.iterations,
       .until_steady = point.until_steady,
       .tolerance = point.tolerance,
       .options = {},
       .progress = {},
       .one_processor_cycles = total_cycles(costs::profile(machine, network))});
}

std::string run_point(const machine::Machine& machine, const Point& point) {
  try {
    return process::run_isolated([&] { return row(point, simulate_point(machine, point)); });
  } catch (const InfeasibleError& error) {
    return row_without_result(point, infeasible, error.what());
  } catch (const DeadlockError& error) {
    return row_without_result(point, deadlock, error.what());
  } catch (const ResourceError& error) {
    return row_of_failure(point, error.what());
  } catch (const InternalError& error) {
    return row_of_failure(point, error.what());
  }
}

}  // namespace

void run_points(const Chunk& chunk, const std::function<void(const std::string& row)>& take) {
  machine::Machine machine;
  try {
    machine = load(chunk.front());
  } catch (const InfeasibleError& error) {
    for (const Point& point : chunk) take(row_without_result(point, infeasible, error.what()));
    return;
  }
  for (const Point& point : chunk) take(run_point(machine, point));
}

}  // namespace layerpipe::sweep
