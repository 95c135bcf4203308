#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/process/isolated_process.hpp"
#include "tests/support/mesh_platform.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/whole_minibatches.hpp"
#include "tests/theory/random_schedule.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe {
namespace {

constexpr int processors = 6;
constexpr std::int64_t minibatches = 40;

/// All events of a run, a line each.
class Transcript final : public events::EventSink {
 public:
  void record(const events::Event& event) override {
    text += fmt::format("{} {} {} {} {}\n", event.date, static_cast<int>(event.kind), event.id,
                        event.minibatch, event.queued);
  }
  void date_over(std::int64_t /*next*/, const events::FlowsLeft& /*flows*/) override { ++dates; }

  std::string text;
  std::int64_t dates = 0;
};

struct Shortened {
  std::string transcript;
  std::int64_t minibatches = 0;
};

/// A run that is asked for `asked` minibatches and may stop after `dates` dates.
Shortened run(const machine::Machine& machine, const contract::Schedule& schedule,
              std::int64_t asked, std::int64_t dates) {
  const std::string answer = process::run_isolated([&] {
    Transcript transcript;
    const std::int64_t had =
        engine::simulate(machine, schedule, asked, transcript,
                         {.may_stop = [&] { return transcript.dates >= dates; }});
    return fmt::format("{} {}", had, transcript.text);
  });
  return {answer.substr(answer.find(' ') + 1), std::stoll(answer)};
}

/// Stops run after run at different dates. Throws if one is not the run of as many minibatches;
/// returns how many were shortened at all.
int compare_shortened(const machine::Machine& machine, const contract::Schedule& schedule,
                      std::uint64_t seed) {
  int shortened = 0;
  for (const std::int64_t dates : {1, 2, 5, 11, 23, 60}) {
    const Shortened stopped = run(machine, schedule, minibatches, dates);
    if (stopped.minibatches == minibatches) continue;
    ++shortened;
    const Shortened whole = run(machine, schedule, stopped.minibatches, minibatches * 1'000'000);
    if (stopped.transcript == whole.transcript) continue;
    throw InternalError(fmt::format("seed {}, stopped after {} dates:\n{}\ninstead of\n{}", seed,
                                    dates, stopped.transcript, whole.transcript));
  }
  return shortened;
}

/// One process loads one platform. Returns how many runs were shortened.
template <class Make>
int shortened_runs(bool through_hub, std::uint64_t schedules, Make make) {
  const std::string path = tests::write_mesh_platform(processors, through_hub);
  return std::stoi(process::run_isolated([&] {
    const machine::Machine machine = engine::load_machine(path);
    int shortened = 0;
    for (std::uint64_t seed = 0; seed < schedules; ++seed) {
      shortened += compare_shortened(machine, make(machine, seed), seed);
    }
    return std::to_string(shortened);
  }));
}

contract::Schedule random(const machine::Machine&, std::uint64_t seed) {
  return tests::random_schedule(seed);
}

contract::Schedule schedule_of_graph(const machine::Machine& machine, std::uint64_t seed) {
  const auto profile = costs::profile(machine, tests::random_graph(1 + seed % 12, seed));
  const auto all = tests::schedulers_of_whole_minibatches();
  return all[seed % all.size()].plan(profile, machine, {}).schedule;
}

/// Wherever a run is told to stop, it is from its first event to its last a run of fewer
/// minibatches.
TEST(ShortenedRun, IsARunOfFewerMinibatches) {
  EXPECT_GT(shortened_runs(false, 100, random), 300);
  EXPECT_GT(shortened_runs(false, 100, schedule_of_graph), 300);
}

TEST(ShortenedRun, OnSharedLinksToo) { EXPECT_GT(shortened_runs(true, 50, random), 150); }

}  // namespace
}  // namespace layerpipe
