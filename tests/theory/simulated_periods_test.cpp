#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/discipline/pipedream_schedule.hpp"
#include "scheduler/placement/layerpipe.hpp"
#include "scheduler/placement/pipedream.hpp"
#include "tests/support/simulated_runs.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe {
namespace {

using contract::Schedule;
using costs::Profile;
using machine::Topology;
using tests::LayerCosts;

constexpr std::int64_t bytes_per_cycle = 64;
constexpr std::int64_t minibatches = 200;

/// One layer per stage, all alike, the first one with its input gradient too; every tensor takes
/// `transfer` cycles.
Profile uniform(std::size_t stages, std::int64_t transfer) {
  Profile profile = tests::test_profile(
      std::vector<LayerCosts>(stages, {300, 400, 300, transfer * bytes_per_cycle, 0}));
  profile.layers.front().has_input_gradient = true;
  profile.layers.front().input_gradient_cycles = 400;
  return profile;
}

std::vector<costs::ProcessorId> layer_per_stage(std::size_t stages) {
  std::vector<costs::ProcessorId> result(stages);
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
}

Schedule pipedream(const Profile& profile) {
  const std::size_t stages = profile.layers.size();
  return discipline::pipedream_schedule("pipedream", profile, layer_per_stage(stages), stages);
}

/// LayerPipe's order and delays without lending.
Schedule retimed(const Profile& profile) {
  placement::Allocation allocation;
  for (const std::size_t stage : layer_per_stage(profile.layers.size())) {
    allocation.layers.push_back({stage});
  }
  return discipline::layerpipe_schedule("layerpipe", profile, allocation, profile.layers.size());
}

double simulated_period(const Schedule& schedule, std::int64_t iterations = minibatches) {
  const auto processors = static_cast<std::int64_t>(schedule.orders.size());
  const auto runs = tests::simulated_runs(tests::latency_free(processors, Topology::chain),
                                          {schedule}, iterations);
  EXPECT_TRUE(runs.front().exact);
  return runs.front().period_cycles;
}

/// Reference figures R3: asynchronous 1F1B has period T + 2 c (p - 1) / p.
TEST(SimulatedPeriods, AsynchronousOneForwardOneBackwardOnUniformStages) {
  for (const std::int64_t p : {1, 2, 3, 4, 8}) {
    for (const std::int64_t c : {0, 25, 180}) {
      const auto stages = static_cast<std::size_t>(p);
      EXPECT_NEAR(simulated_period(pipedream(uniform(stages, c))),
                  1000.0 + 2.0 * static_cast<double>(c * (p - 1)) / static_cast<double>(p), 1e-9)
          << p << " stages, transfers of " << c;
    }
  }
}

/// Reference figures R3: with stage times T_i and boundary times c_i the period is the maximum over
/// intervals of stages of (sum T_i + 2 sum c_i) / (number of stages in it).
TEST(SimulatedPeriods, AsynchronousOneForwardOneBackwardOnUnevenStages) {
  std::mt19937_64 random(7);
  const auto up_to = [&random](std::uint64_t limit) {
    return static_cast<std::int64_t>(random() % (limit + 1));
  };
  for (int chain = 0; chain < 12; ++chain) {
    const std::size_t stages = 2 + static_cast<std::size_t>(chain) % 5;
    std::vector<LayerCosts> costs;
    for (std::size_t s = 0; s < stages; ++s) {
      costs.push_back({100 + up_to(400), up_to(400), up_to(400), up_to(150) * bytes_per_cycle, 0});
    }
    const Profile profile = tests::test_profile(costs);
    double expected = 0.0;
    for (std::size_t first = 0; first < stages; ++first) {
      double sum = 0.0;
      for (std::size_t last = first; last < stages; ++last) {
        const costs::LayerProfile& layer = profile.layers[last];
        sum += static_cast<double>(layer.forward_cycles + layer.input_gradient_cycles +
                                   layer.weight_gradient_cycles);
        expected = std::max(expected, sum / static_cast<double>(last - first + 1));
        sum += 2.0 * static_cast<double>(costs[last].activation_bytes / bytes_per_cycle);
      }
    }
    EXPECT_NEAR(simulated_period(pipedream(profile)), expected, 1e-9) << "chain " << chain;
  }
}

/// Reference figures R3: with 2 (p-1-s) + 1 minibatches in flight and both gradients apart the
/// period is max(T, (sum FP + sum delta + G(1) + 2 (p-1) c) / (2 p - 1)); p = 3 and c = 900 give
/// 1200.
TEST(SimulatedPeriods, RetimedPipelineOnUniformStages) {
  EXPECT_NEAR(simulated_period(retimed(uniform(3, 900))), 1200.0, 1e-9);
  for (const std::int64_t p : {1, 2, 3, 4, 8}) {
    for (const std::int64_t c : {0, 200, 900, 1500}) {
      const double loop =
          static_cast<double>(p * 700 + 300 + 2 * (p - 1) * c) / static_cast<double>(2 * p - 1);
      EXPECT_NEAR(simulated_period(retimed(uniform(static_cast<std::size_t>(p), c))),
                  std::max(1000.0, loop), 1e-9)
          << p << " stages, transfers of " << c;
    }
  }
}

/// The same costs, with nothing to send.
Profile without_communication(Profile profile) {
  for (costs::LayerProfile& layer : profile.layers) {
    layer.weight_bytes = 0;
    layer.weightless_backward_bytes = 0;
  }
  for (costs::Value& value : profile.values) {
    value.activation_bytes = 0;
    value.gradient_bytes = 0;
  }
  return profile;
}

Schedule lending(const Profile& profile, std::size_t processors) {
  const auto partition = placement::layerpipe_partition(profile, processors, {});
  return discipline::layerpipe_schedule("layerpipe", profile, partition.allocation, processors);
}

/// Reference figures R4, communication free: whole layers 43434336, lending 32007170.
TEST(SimulatedPeriods, SampleNetwork) {
  const Profile profile = without_communication(tests::sample_profile());
  EXPECT_NEAR(
      simulated_period(discipline::pipedream_schedule("pipedream", profile, {0, 1, 2, 2}, 3)),
      43434336.0, 1e-9 * 43434336.0);
  EXPECT_NEAR(simulated_period(lending(profile, 3)), 32007170.0, 1e-9 * 32007170.0);
}

/// Reference figures R4: with 2 S(l) minibatches of delay VGG16 reaches its slowest processor. It
/// takes thousands of minibatches to get there: until the delays are used up, the slowest processor
/// puts off weight gradients, and minibatches end in the rhythm of another one.
TEST(SimulatedPeriods, Vgg16ReachesItsSlowestProcessorInTheEnd) {
  const auto network =
      read::read_network(std::string(LAYERPIPE_SOURCE_DIR) + "/workloads/vgg16-conv.yaml");
  const Profile profile = without_communication(costs::profile(tests::test_machine(1), network));
  const Schedule schedule = lending(profile, 4);
  EXPECT_EQ(simulated_period(schedule, 12000),
            static_cast<double>(slowest_processor_cycles(schedule)));
}

/// The period of one processor is the sum of all cycles, whatever the schedule.
TEST(SimulatedPeriods, OneProcessorTakesTheSumOfAllOperations) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Profile profile = tests::random_profile(1 + seed, seed);
    const std::vector<costs::ProcessorId> one_stage(profile.layers.size(), 0);
    const auto total = static_cast<double>(total_cycles(profile));
    EXPECT_EQ(simulated_period(discipline::pipedream_schedule("pipedream", profile, one_stage, 1)),
              total);
    const auto partition = placement::layerpipe_partition(profile, 1, {});
    EXPECT_EQ(simulated_period(
                  discipline::layerpipe_schedule("layerpipe", profile, partition.allocation, 1)),
              total);
  }
}

/// No exact period is shorter than the slowest processor's cycles.
TEST(SimulatedPeriods, NeverBelowTheSlowestProcessor) {
  int exact_runs = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Profile profile = tests::random_profile(2 + seed % 8, seed);
    const std::size_t processors = 1 + seed % 5;
    const Schedule schedule = lending(profile, processors);
    const auto runs = tests::simulated_runs(
        tests::latency_free(static_cast<std::int64_t>(processors), Topology::crossbar), {schedule},
        minibatches);
    if (!runs.front().exact) continue;
    ++exact_runs;
    EXPECT_GE(runs.front().period_cycles, static_cast<double>(slowest_processor_cycles(schedule)))
        << "seed " << seed;
  }
  EXPECT_GT(exact_runs, 20);
}

}  // namespace
}  // namespace layerpipe
