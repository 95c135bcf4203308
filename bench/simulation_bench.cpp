#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

#include "scheduler/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/engine/isolated_process.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "workloads/read_network.hpp"

namespace {

namespace sim = layerpipe::sim;

class CountActivities final : public sim::EventSink {
 public:
  void record(const sim::Event& event) override {
    if (event.kind == sim::EventKind::operation_ended ||
        event.kind == sim::EventKind::transfer_ended) {
      ++count;
    }
  }
  std::int64_t count = 0;
};

const layerpipe::platforms::Machine& machine() {
  static const layerpipe::platforms::Machine loaded =
      sim::load_machine(LAYERPIPE_SOURCE_DIR "/platforms/eight-128x128.xml");
  return loaded;
}

/// VGG16 on eight processors: operations and transfers per second of the run itself, without
/// loading and planning. Each run is a process of its own and measures itself.
void simulate_vgg16(benchmark::State& state, const char* schedule_name) {
  const auto network =
      layerpipe::workloads::read_network(LAYERPIPE_SOURCE_DIR "/workloads/vgg16.yaml");
  const auto profile = layerpipe::scheduler::profile(machine(), network);
  const auto schedule =
      layerpipe::scheduler::find_scheduler(schedule_name).plan(profile, machine(), {}).schedule;
  std::int64_t activities = 0;
  for (auto _ : state) {
    const std::string answer = sim::run_isolated([&] {
      CountActivities count;
      const auto begin = std::chrono::steady_clock::now();
      sim::simulate(machine(), schedule, state.range(0), count);
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
      return std::to_string(elapsed.count()) + " " + std::to_string(count.count);
    });
    state.SetIterationTime(std::stod(answer));
    activities += std::stoll(answer.substr(answer.find(' ')));
  }
  state.SetItemsProcessed(activities);
}
BENCHMARK_CAPTURE(simulate_vgg16, layerpipe, "layerpipe")->Arg(2000)->UseManualTime();
BENCHMARK_CAPTURE(simulate_vgg16, pipedream, "pipedream")->Arg(2000)->UseManualTime();

}  // namespace
