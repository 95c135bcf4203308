#include "scheduler/theory/least_staleness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/placement/layerpipe.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/critical_loop.hpp"
#include "scheduler/theory/token_graph.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/process/isolated_process.hpp"
#include "sim/run/least_delays.hpp"
#include "sim/run/recurrence_period.hpp"
#include "tests/support/mesh_platform.hpp"
#include "tests/support/simulated_runs.hpp"
#include "tests/support/test_profile.hpp"
#include "tests/theory/schedule_builder.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;
using namespace placement;
using namespace scheduler;
using namespace theory;
using testing::ElementsAre;

constexpr std::int64_t minibatches = 200;

Allocation layer_per_stage(std::size_t stages) {
  Allocation allocation;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    allocation.layers.push_back({stage});
  }
  return allocation;
}

Schedule with_delays(const Profile& profile, Allocation allocation, const Delays& delays) {
  allocation.delays = delays;
  const std::size_t stages = allocation.stages();
  return layerpipe_schedule("layerpipe", profile, allocation, stages);
}

/// By the recurrence, a cycle per byte.
double period(const Schedule& schedule) {
  return run::recurrence_period(schedule, minibatches, cycle_per_byte(schedule))
      .cycles_per_minibatch;
}

LeastStaleness search(const Profile& profile, const Allocation& allocation) {
  const Schedule schedule = with_delays(profile, allocation, DelayRule::twice_stages_after);
  const auto schedule_of = [&](const Staleness& delays) {
    return with_delays(profile, allocation, delays);
  };
  return least_staleness(schedule_of, processors(allocation), cycle_per_byte(schedule), period);
}

double ratio(const Schedule& schedule) {
  const auto loop = critical_loop(token_graph(schedule, cycle_per_byte(schedule)),
                                  [](std::size_t node) { return std::to_string(node); });
  return loop ? loop->cycles_per_delay() : 0.0;
}

/// FP, delta and G of 300, 400 and 300 cycles on each of p stages; transfers of c cycles.
Profile uniform(std::size_t stages, std::int64_t c) {
  return test_profile(std::vector<LayerCosts>(stages, {300, 400, 300, c, 0}));
}

// The loop of a layer with k stages after its own is (k + 1) 300 + k 400 + 300 + 2 k c cycles for
// M + 1 delays, at most 1000 each: 600, 1300, 2000, 2700 without transfers, and 600, 2300, 4000,
// 5700 with c = 500.
TEST(LeastStaleness, OfTheRatioOnUniformStages) {
  EXPECT_THAT(search(uniform(4, 0), layer_per_stage(4)).of_ratio, ElementsAre(2, 1, 1, 0));
  EXPECT_THAT(search(uniform(4, 500), layer_per_stage(4)).of_ratio, ElementsAre(5, 3, 2, 0));
}

// With c = 2000 the loop of the first of three stages has 10,000 cycles and needs 9 delays more
// than 2 S = 4 allows: 2 S gives 10,000 / 5. As the last stage needs no delay, 5300 / 2 of the
// second one would be too long with less than its 2.
TEST(LeastStaleness, SaysThatTwoSDoesNotReachTheBound) {
  const LeastStaleness least = search(uniform(3, 2000), layer_per_stage(3));
  EXPECT_THAT(least.of_ratio, ElementsAre(9, 5, 0));
  EXPECT_FALSE(least.reaches_bound());
  EXPECT_EQ(least.slowest_processor_cycles, 1000);
  EXPECT_DOUBLE_EQ(least.twice_stages_after_period_cycles, 2000.0);
  EXPECT_THAT(least.found, ElementsAre(4, 2, 0));
}

// One processor executes everything whatever the delays.
TEST(LeastStaleness, OneProcessorNeedsNone) {
  const LeastStaleness least = search(uniform(3, 7), {{{0}, {0}, {0}}});
  EXPECT_THAT(least.of_ratio, ElementsAre(0, 0, 0));
  EXPECT_THAT(least.found, ElementsAre(0, 0, 0));
  EXPECT_DOUBLE_EQ(least.period_cycles, 3 * 1000.0 - 400.0);
  EXPECT_TRUE(least.reaches_bound());
}

TEST(LeastStaleness, RefusesOperationsThatTakeNoTime) {
  EXPECT_THROW((void)search(test_profile({{0, 0, 0, 9, 0}, {0, 0, 0, 9, 0}}), layer_per_stage(2)),
               InfeasibleError);
}

/// With lending, so that loops may pass several updates. One less on any entry is more than the
/// slowest processor, or a longer period; the found vector is as good as 2 S, and nowhere above.
TEST(LeastStaleness, BothVectorsAreLeast) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Profile profile = random_profile(2 + seed % 7, seed);
    const auto scale = static_cast<std::int64_t>(1 + 30 * (seed % 3));
    for (Value& value : profile.values) value.activation_bytes /= scale;
    const Allocation allocation = layerpipe_partition(profile, 2 + seed % 5, {}).allocation;
    const LeastStaleness least = search(profile, allocation);
    const auto schedule = [&](const Delays& delays) {
      return with_delays(profile, allocation, delays);
    };
    const auto bound = static_cast<double>(least.slowest_processor_cycles);
    EXPECT_LE(ratio(schedule(least.of_ratio)), bound);
    const Staleness most = staleness(DelayRule::twice_stages_after, processors(allocation));
    const double best = std::max(period(schedule(most)), ratio(schedule(most)));
    const double tolerance = 1e-9 * best;
    EXPECT_LE(period(schedule(least.found)), best + tolerance);
    for (std::size_t l = 0; l < most.size(); ++l) {
      EXPECT_LE(least.found[l], most[l]);
      Staleness less = least.of_ratio;
      if (--less[l] >= 0) {
        EXPECT_GT(ratio(schedule(less)), bound) << "layer " << l;
      }
      less = least.found;
      if (--less[l] < 0) continue;
      EXPECT_GT(std::max(period(schedule(less)), ratio(schedule(less))), best + tolerance)
          << "layer " << l;
    }
  }
}

/// What `--delays auto` finds on a platform whose channels share no links.
Staleness found_on(const std::string& platform_file, const Profile& profile) {
  const auto answer = nlohmann::json::parse(process::run_isolated([&] {
    const machine::Machine machine = engine::load_machine(platform_file);
    const auto least = run::least_delays(find_scheduler("layerpipe"), profile, machine, {});
    return nlohmann::json{least.delays, least.has_shared_links}.dump();
  }));
  EXPECT_FALSE(answer.at(1).get<bool>());
  return answer.at(0).get<Staleness>();
}

/// By simulation: the period is that of 2 S, and one less on any entry makes it longer. Runs whose
/// period is only a mean decide nothing here, and are few.
TEST(LeastStaleness, IsLeastInTheSimulation) {
  constexpr std::size_t processors = 4;
  const std::string platform = write_mesh_platform(processors, false);
  int decided = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = random_profile(3 + seed % 5, 1000 + seed);
    const Allocation allocation = layerpipe_partition(profile, processors, {}).allocation;
    const Staleness found = found_on(platform, profile);
    const auto schedule = [&](Delays delays) {
      Allocation placed = allocation;
      placed.delays = std::move(delays);
      return layerpipe_schedule("layerpipe", profile, placed, processors);
    };
    std::vector<Schedule> schedules{schedule(DelayRule::twice_stages_after), schedule(found)};
    for (std::size_t l = 0; l < found.size(); ++l) {
      Staleness less = found;
      if (--less[l] >= 0) schedules.push_back(schedule(less));
    }
    const std::vector<SimulatedRun> runs = simulated_runs(platform, schedules, minibatches);
    if (!std::ranges::all_of(runs, &SimulatedRun::exact)) continue;
    ++decided;
    EXPECT_LE(runs[1].period_cycles, runs[0].period_cycles * (1 + 1e-12));
    for (std::size_t i = 2; i < runs.size(); ++i) {
      EXPECT_GT(runs[i].period_cycles, runs[0].period_cycles * (1 + 1e-12)) << i;
    }
  }
  EXPECT_GE(decided, 24);
}

}  // namespace
}  // namespace layerpipe::tests
