#include <benchmark/benchmark.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>

#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/process/isolated_process.hpp"
#include "sim/trace/trace_formats.hpp"
#include "sim/trace/trace_recorder.hpp"
#include "workloads/read/read_network.hpp"

namespace {

using namespace layerpipe;

/// Stalls, which every run accounts for, and the trace.
class Listeners final : public events::EventSink {
 public:
  Listeners(const layerpipe::contract::Schedule& schedule, const events::Channels& channels)
      : stalls_(schedule), recorder_(schedule, channels, std::nullopt) {
    stalls_.listen(recorder_);
  }
  void add(trace::TraceWriter& writer) { recorder_.add(writer); }
  void record(const events::Event& event) override {
    stalls_.record(event);
    recorder_.record(event);
  }

 private:
  metrics::StallAccount stalls_;
  trace::TraceRecorder recorder_;
};

/// Seconds of a run of VGG16, with a trace in the format of `suffix` unless that is empty.
std::string measured_run(const std::string& suffix, std::int64_t minibatches) {
  const std::string root = LAYERPIPE_SOURCE_DIR;
  const auto network = layerpipe::read::read_network(root + "/workloads/vgg16.yaml");
  const auto machine = engine::load_machine(root + "/platforms/eight-32x32.xml");
  const auto profile = layerpipe::costs::profile(machine, network);
  const auto schedule =
      layerpipe::scheduler::find_scheduler("layerpipe").plan(profile, machine, {}).schedule;
  const events::Channels channels = events::used_channels(machine, schedule);
  std::ofstream nowhere("/dev/null");
  Listeners listeners(schedule, channels);
  std::unique_ptr<trace::TraceWriter> writer;
  if (!suffix.empty()) {
    writer = trace::make_trace_writer(suffix, nowhere, {machine, schedule, channels});
    listeners.add(*writer);
  }
  const auto begin = std::chrono::steady_clock::now();
  engine::simulate(machine, schedule, minibatches, listeners);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return std::to_string(elapsed.count());
}

/// What a trace costs: compare with `none`.
void trace_vgg16(benchmark::State& state, const std::string& suffix) {
  for (auto _ : state) {
    const std::string seconds =
        process::run_isolated([&] { return measured_run(suffix, state.range(0)); });
    state.SetIterationTime(std::stod(seconds));
  }
}
BENCHMARK_CAPTURE(trace_vgg16, none, "")->Arg(2000)->UseManualTime();
BENCHMARK_CAPTURE(trace_vgg16, paje, ".paje")->Arg(2000)->UseManualTime();
BENCHMARK_CAPTURE(trace_vgg16, json, ".json")->Arg(2000)->UseManualTime();
BENCHMARK_CAPTURE(trace_vgg16, csv, ".csv")->Arg(2000)->UseManualTime();

}  // namespace
