// Simulates a network on a machine: consumer PLATFORM WORKLOAD SCHEDULE

#include <cstdio>

#include "platforms/machine/machine.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/run/plan.hpp"
#include "sim/run/run.hpp"
#include "workloads/base/error.hpp"
#include "workloads/read/read_network.hpp"

namespace {

void simulate(const char* platform, const char* workload, const char* schedule) {
  const auto machine = layerpipe::engine::load_machine(platform);
  const auto network = layerpipe::read::read_network(workload);
  const auto profile = layerpipe::costs::profile(machine, network);
  const auto& scheduler = layerpipe::scheduler::find_scheduler(schedule);
  const auto plan = layerpipe::run::plan(scheduler, profile, machine, {});
  const auto result = layerpipe::run::run({.machine = machine,
                                           .network = network,
                                           .profile = profile,
                                           .scheduler = scheduler,
                                           .scheduler_options = {},
                                           .iterations = 20,
                                           .options = {},
                                           .progress = {}});
  std::printf("%s: %zu operations, period %.0f cycles\n", result.workload.c_str(),
              plan.schedule.ops.size(), result.steady_state.period_cycles);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    simulate(argv[1], argv[2], argv[3]);
    return 0;
  } catch (const layerpipe::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
}
