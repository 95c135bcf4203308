#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "platforms/file/generate.hpp"
#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/process/isolated_process.hpp"
#include "workloads/read/read_network.hpp"

namespace {

using namespace layerpipe;

class Ignore final : public events::EventSink {
 public:
  void record(const events::Event&) override {}
};

/// Residual blocks of two convolutions, with identity shortcuts: five layers each.
std::string residual_network(std::int64_t layers) {
  std::string text =
      "name: residual\nbatch: 4\ninput: {channels: 16, height: 16, width: 16}\nlayers:\n"
      "  - {name: b0, type: conv2d, out_channels: 16, kernel_size: 3, padding: 1}\n";
  for (std::int64_t block = 1; 5 * block < layers; ++block) {
    text += fmt::format(
        "  - {{type: conv2d, out_channels: 16, kernel_size: 3, padding: 1}}\n"
        "  - {{type: batchnorm2d}}\n"
        "  - {{type: relu}}\n"
        "  - {{name: c{0}, type: conv2d, out_channels: 16, kernel_size: 3, padding: 1}}\n"
        "  - {{name: b{0}, type: add, inputs: [c{0}, b{1}]}}\n",
        block, block - 1);
  }
  return text;
}

std::string write_platform(std::int64_t processors) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "layerpipe-graph-bench.xml").string();
  layerpipe::file::PlatformSpec spec;
  spec.processors = processors;
  std::ofstream(path) << platform_xml(spec);
  return path;
}

/// All that a user waits for but the report, on 64 processors: reads the network, profiles it,
/// plans and checks the schedule, simulates 100 minibatches.
void residual_network(benchmark::State& state, const char* schedule_name) {
  const std::string text = residual_network(state.range(0));
  const std::string platform = write_platform(64);
  for (auto _ : state) {
    const std::string answer = process::run_isolated([&] {
      const auto machine = engine::load_machine(platform);
      const auto network = layerpipe::read::parse_network(text, "residual.yaml");
      const auto profile = costs::profile(machine, network);
      const auto schedule =
          scheduler::find_scheduler(schedule_name).plan(profile, machine, {}).schedule;
      check(schedule, profile);
      Ignore ignore;
      engine::simulate(machine, schedule, 100, ignore);
      return std::string();
    });
    benchmark::DoNotOptimize(answer.size());
  }
  std::filesystem::remove(platform);
}
BENCHMARK_CAPTURE(residual_network, pipedream, "pipedream")
    ->Arg(2000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(residual_network, layerpipe, "layerpipe")
    ->Arg(2000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
