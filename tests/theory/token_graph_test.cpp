#include "scheduler/theory/token_graph.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/discipline/pipedream_schedule.hpp"
#include "scheduler/theory/critical_loop.hpp"
#include "scheduler/theory/retiming.hpp"
#include "tests/support/test_profile.hpp"
#include "tests/theory/random_schedule.hpp"
#include "tests/theory/schedule_builder.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;
using namespace placement;
using namespace theory;

std::string number(std::size_t node) { return std::to_string(node); }

CriticalLoop critical_loop(const TokenGraph& graph) {
  return theory::critical_loop(graph, number).value();
}

std::vector<ProcessorId> layer_per_stage(std::size_t stages) {
  std::vector<ProcessorId> result(stages);
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
}

Allocation nothing_lent(std::size_t stages) {
  Allocation allocation;
  for (const ProcessorId stage : layer_per_stage(stages)) {
    allocation.layers.push_back({stage});
  }
  return allocation;
}

/// One layer per stage with 1000 cycles, all alike but for delta(1), which is not there; its cycles
/// belong to G(1). Every tensor has `transfer` bytes.
Profile uniform(std::size_t stages, std::int64_t transfer) {
  Profile profile = test_profile(std::vector<LayerCosts>(stages, {300, 400, 300, transfer, 0}));
  profile.layers.front().weight_gradient_cycles = 700;
  return profile;
}

Schedule pipedream(const Profile& profile) {
  const std::size_t stages = profile.layers.size();
  return pipedream_schedule("pipedream", profile, layer_per_stage(stages), stages);
}

/// Reference figures R3: asynchronous 1F1B has period T + 2 c (p - 1) / p.
TEST(TokenGraph, OneForwardOneBackwardOnUniformStages) {
  for (const std::int64_t p : {1, 2, 3, 4, 8}) {
    for (const std::int64_t c : {0, 25, 180, 5000}) {
      const Schedule schedule = pipedream(uniform(static_cast<std::size_t>(p), c));
      const CriticalLoop loop = critical_loop(token_graph(schedule, cycle_per_byte(schedule)));
      EXPECT_EQ(loop.cycles * p, loop.delays * (1000 * p + 2 * c * (p - 1)))
          << p << " stages, transfers of " << c;
    }
  }
}

/// Reference figures R3: the maximum over intervals of stages of (sum T_i + 2 sum c_i) / stages.
TEST(TokenGraph, OneForwardOneBackwardOnUnevenStages) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Profile profile = random_profile(1 + seed % 9, seed);
    double expected = 0.0;
    for (std::size_t first = 0; first < profile.layers.size(); ++first) {
      std::int64_t sum = 0;
      for (std::size_t last = first; last < profile.layers.size(); ++last) {
        const LayerProfile& layer = profile.layers[last];
        sum += layer.forward_cycles + layer.input_gradient_cycles + layer.weight_gradient_cycles;
        expected =
            std::max(expected, static_cast<double>(sum) / static_cast<double>(last - first + 1));
        if (last < profile.values.size()) sum += 2 * profile.values[last].activation_bytes;
      }
    }
    const Schedule schedule = pipedream(profile);
    const CriticalLoop loop = critical_loop(token_graph(schedule, cycle_per_byte(schedule)));
    EXPECT_DOUBLE_EQ(loop.cycles_per_delay(), expected) << "seed " << seed;
  }
}

/// Reference figures R3: with 2 (p - 1) + 1 minibatches in flight the loop through all stages is
/// (sum FP + sum delta + G(1) + 2 (p - 1) c) / (2 p - 1). It is the critical one from where it
/// takes as long as a stage.
TEST(TokenGraph, RetimedPipelineOnUniformStages) {
  for (const std::int64_t p : {1, 2, 3, 4, 8}) {
    for (const std::int64_t c : {1000, 1500, 5000}) {
      const auto stages = static_cast<std::size_t>(p);
      const Schedule schedule =
          layerpipe_schedule("layerpipe", uniform(stages, c), nothing_lent(stages), stages);
      const CriticalLoop loop = critical_loop(token_graph(schedule, cycle_per_byte(schedule)));
      EXPECT_EQ(loop.cycles, 300 * p + 400 * (p - 1) + 700 + 2 * (p - 1) * c) << p;
      EXPECT_EQ(loop.delays, 2 * p - 1) << p;
    }
  }
}

/// Its path, by hand: FP1, a1, FP2, delta2 and its result, G1.
TEST(TokenGraph, PathIsOfOperationsAndTransfers) {
  const Schedule schedule = layerpipe_schedule("layerpipe", uniform(2, 1000), nothing_lent(2), 2);
  const CriticalLoop loop = critical_loop(token_graph(schedule, cycle_per_byte(schedule)));
  std::vector<std::string> path;
  for (const std::size_t node : loop.path) {
    path.push_back(node < schedule.ops.size()
                       ? describe(schedule, node)
                       : "tensor " + std::to_string(node - schedule.ops.size()));
  }
  EXPECT_THAT(
      path, testing::ElementsAre("op 0 (forward of layer1)", "tensor 0", "op 2 (forward of layer2)",
                                 "op 3 (input_gradient of layer2)", "tensor 1",
                                 "op 1 (weight_gradient of layer1)"));
}

/// Makespans of a schedule of random form grow by the ratio of its critical loop where nothing else
/// decides: all orders static, one tensor for each channel, which is busy with it. What is not yet
/// regular, at the start and in the end, takes no more than a few minibatches' cycles.
TEST(TokenGraph, RatioIsThePeriodOfStaticOrders) {
  constexpr std::int64_t minibatches = 200;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const Schedule schedule =
        random_schedule(seed, {.only_static_orders = true, .one_tensor_per_channel = true});
    const TransferCycles transfer = cycle_per_byte(schedule);
    const TokenGraph graph = token_graph(schedule, transfer);
    double expected = 0.0;
    if (const auto loop = theory::critical_loop(graph, number)) {
      expected = loop->cycles_per_delay();
    }
    for (std::size_t node = schedule.ops.size(); node < graph.cycles.size(); ++node) {
      expected = std::max(expected, static_cast<double>(graph.cycles[node]));
    }
    const std::int64_t grown = timetable(schedule, 3 * minibatches, transfer).makespan -
                               timetable(schedule, minibatches, transfer).makespan;
    const std::int64_t all =
        std::accumulate(graph.cycles.begin(), graph.cycles.end(), std::int64_t{0});
    EXPECT_NEAR(static_cast<double>(grown), 2.0 * minibatches * expected, static_cast<double>(all))
        << "seed " << seed;
  }
}

/// Whatever decides, no schedule is faster in the long run.
TEST(TokenGraph, RatioBoundsThePeriodOfEverySchedule) {
  constexpr std::int64_t minibatches = 100;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Schedule schedule = random_schedule(seed);
    const TransferCycles transfer = cycle_per_byte(schedule);
    const auto loop = theory::critical_loop(token_graph(schedule, transfer), number);
    if (!loop) continue;
    // Around the loop minibatch m ends at least its cycles after minibatch m - delays; the first
    // round may be without what it waits for.
    const std::int64_t rounds = (minibatches - 1) / loop->delays;
    EXPECT_GE(timetable(schedule, minibatches, transfer).makespan, (rounds - 1) * loop->cycles)
        << "seed " << seed;
  }
}

/// Without further delays nothing is pipelined: the loop is the critical path of one iteration,
/// FP(1) to FP(L), delta(L) to delta(2), G(1). Pipelined, it is divided by M(1) + 1 = 5; then
/// FP(3), G(3) takes longest, with M(3) + 1 = 1.
TEST(TokenGraph, DataflowGraphOfAChain) {
  const Profile profile = test_profile({{10, 0, 30}, {20, 40, 50}, {60, 70, 80}});
  DataflowGraph graph = dataflow_graph(profile, nothing_lent(3));
  CriticalLoop loop = critical_loop(token_graph(graph));
  EXPECT_EQ(loop.cycles, 10 + 20 + 60 + 70 + 40 + 30);
  EXPECT_EQ(loop.delays, 1);
  pipeline(graph);
  loop = critical_loop(token_graph(graph));
  EXPECT_EQ(loop.cycles, 60 + 80);
  EXPECT_EQ(loop.delays, 1);
}

}  // namespace
}  // namespace layerpipe::tests
