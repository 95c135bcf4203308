#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

#include "bench/count_activities.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/process/isolated_process.hpp"
#include "workloads/read/read_network.hpp"

namespace {

using namespace layerpipe;

/// Simulates VGG16 in this process, which must be one of its own; "seconds activities" of the run
/// itself, without loading and planning.
std::string measured_run(const char* platform, const char* schedule_name,
                         std::int64_t minibatches) {
  const std::string root = LAYERPIPE_SOURCE_DIR;
  const auto network = layerpipe::read::read_network(root + "/workloads/vgg16.yaml");
  const auto machine = engine::load_machine(root + "/platforms/" + platform);
  const auto profile = layerpipe::costs::profile(machine, network);
  const auto schedule =
      layerpipe::scheduler::find_scheduler(schedule_name).plan(profile, machine, {}).schedule;
  layerpipe::bench::CountActivities count;
  const auto begin = std::chrono::steady_clock::now();
  engine::simulate(machine, schedule, minibatches, count);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return std::to_string(elapsed.count()) + " " + std::to_string(count.count);
}

/// Operations and transfers per second on links of their own (a chain of neighbours, under
/// pipedream) or on links that channels share (crossbar).
void simulate_vgg16(benchmark::State& state, const char* platform, const char* schedule_name) {
  std::int64_t activities = 0;
  for (auto _ : state) {
    const std::string answer = process::run_isolated(
        [&] { return measured_run(platform, schedule_name, state.range(0)); });
    state.SetIterationTime(std::stod(answer));
    activities += std::stoll(answer.substr(answer.find(' ')));
  }
  state.SetItemsProcessed(activities);
}
BENCHMARK_CAPTURE(simulate_vgg16, own_links, "eight-32x32-chain.xml", "pipedream")
    ->Arg(2000)
    ->UseManualTime();
BENCHMARK_CAPTURE(simulate_vgg16, shared_links, "eight-32x32.xml", "layerpipe")
    ->Arg(2000)
    ->UseManualTime();

}  // namespace
