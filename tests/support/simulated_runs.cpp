#include "tests/support/simulated_runs.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/metrics/steady_state.hpp"
#include "sim/process/isolated_process.hpp"

namespace layerpipe::tests {

namespace {

using nlohmann::json;

class WithMakespan final : public events::EventSink {
 public:
  explicit WithMakespan(events::EventSink& next) : next_(next) {}
  void record(const events::Event& event) override {
    makespan = event.date;
    next_.record(event);
  }
  void date_over(std::int64_t next, const events::FlowsLeft& flows) override {
    next_.date_over(next, flows);
  }
  std::int64_t makespan = 0;

 private:
  events::EventSink& next_;
};

json simulated(const machine::Machine& machine, const contract::Schedule& schedule,
               std::int64_t minibatches) {
  return json::parse(process::run_isolated([&] {
    metrics::SteadyStateDetector steady(schedule, minibatches);
    WithMakespan sink(steady);
    engine::simulate(machine, schedule, minibatches, sink);
    const metrics::Period period = steady.period();
    return json{period.exact, period.cycles_per_minibatch, sink.makespan}.dump();
  }));
}

}  // namespace

std::vector<SimulatedRun> simulated_runs(const file::PlatformSpec& spec,
                                         const std::vector<contract::Schedule>& schedules,
                                         std::int64_t minibatches) {
  const std::string path = testing::TempDir() + "generated-" + std::to_string(getpid()) + ".xml";
  std::ofstream(path) << file::platform_xml(spec);
  return simulated_runs(path, schedules, minibatches);
}

std::vector<SimulatedRun> simulated_runs(const std::string& platform_file,
                                         const std::vector<contract::Schedule>& schedules,
                                         std::int64_t minibatches) {
  const json answers = json::parse(process::run_isolated([&] {
    const machine::Machine machine = engine::load_machine(platform_file);
    json runs = json::array();
    for (const contract::Schedule& schedule : schedules) {
      runs.push_back(simulated(machine, schedule, minibatches));
    }
    return runs.dump();
  }));
  std::vector<SimulatedRun> runs;
  for (const json& answer : answers) {
    runs.push_back(
        {answer.at(0).get<bool>(), answer.at(1).get<double>(), answer.at(2).get<std::int64_t>()});
  }
  return runs;
}

file::PlatformSpec latency_free(std::int64_t processors, machine::Topology topology) {
  file::PlatformSpec spec;
  spec.processors = processors;
  spec.array.rows = 32;
  spec.array.cols = 32;
  spec.clock_hertz = 1e9;
  spec.link_bytes_per_second = 64e9;
  spec.link_latency_seconds = 0.0;
  spec.topology = topology;
  return spec;
}

}  // namespace layerpipe::tests
