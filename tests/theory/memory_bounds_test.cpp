#include "scheduler/theory/memory_bounds.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/discipline/pipedream_schedule.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "scheduler/theory/retiming.hpp"
#include "sim/metrics/live_memory.hpp"
#include "sim/metrics/live_versions.hpp"
#include "sim/metrics/replay.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;
using namespace placement;
using namespace scheduler;
using namespace theory;

/// One layer per stage, all alike, the first one with its input gradient too.
Profile uniform(std::size_t stages) {
  Profile profile = test_profile(std::vector<LayerCosts>(stages, {300, 400, 300, 640, 64}));
  profile.layers.front().has_input_gradient = true;
  profile.layers.front().input_gradient_cycles = 400;
  return profile;
}

Schedule pipedream(const Profile& profile) {
  std::vector<ProcessorId> stage_of_layer;
  for (std::size_t l = 0; l < profile.layers.size(); ++l) stage_of_layer.push_back(l);
  return pipedream_schedule("pipedream", profile, stage_of_layer, stage_of_layer.size());
}

/// LayerPipe's order and delays, nothing lent.
Schedule retimed(const Profile& profile) {
  Allocation allocation;
  for (std::size_t l = 0; l < profile.layers.size(); ++l) allocation.layers.push_back({l});
  return layerpipe_schedule("layerpipe", profile, allocation, profile.layers.size());
}

/// What was held in a run of `minibatches` minibatches in which every transfer takes `cycles`.
struct RunMemory {
  RunMemory(const Schedule& schedule, const Profile& profile, std::int64_t minibatches,
            const TransferCycles& cycles)
      : versions(schedule), memory(schedule, profile) {
    const Timetable table = timetable(schedule, minibatches, cycles);
    metrics::replay(table, versions);
    metrics::replay(table, memory);
  }

  metrics::LiveVersions versions;
  metrics::LiveMemory memory;
};

RunMemory run_free(const Schedule& schedule, const Profile& profile) {
  return {schedule, profile, 40, [](TensorId) { return 0; }};
}

/// Schedules of uniform stages keep `in_flight(p, s)` versions at stage s of p, by the bounds and
/// in a run. Bytes by hand: 64 for the weights of a version and 640 for its input, but for the
/// network's, which has no size.
void expect_in_flight(Schedule (*scheduled)(const Profile&),
                      std::int64_t (*in_flight)(std::int64_t, std::int64_t)) {
  for (const std::size_t p : {1U, 2U, 3U, 5U}) {
    const Profile profile = uniform(p);
    const Schedule schedule = scheduled(profile);
    const RunMemory run = run_free(schedule, profile);
    const std::vector<LayerMemory> bounds = layer_memory(schedule, profile, 40);
    ASSERT_EQ(bounds.size(), p);
    for (std::size_t s = 0; s < p; ++s) {
      SCOPED_TRACE(std::to_string(p) + " stages, stage " + std::to_string(s));
      const std::int64_t versions =
          in_flight(static_cast<std::int64_t>(p), static_cast<std::int64_t>(s));
      EXPECT_EQ(run.versions.most(s).weights, versions);
      EXPECT_EQ(run.versions.most(s).activations, versions);
      EXPECT_EQ(bounds[s].layer, s);
      EXPECT_EQ(bounds[s].processor, s);
      EXPECT_FALSE(bounds[s].is_lent);
      EXPECT_EQ(bounds[s].weight_versions, versions);
      EXPECT_EQ(bounds[s].weight_bytes, versions * 64);
      EXPECT_EQ(run.memory.peak(s).weights, versions * 64);
      const std::int64_t inputs = s == 0 ? 0 : versions * 640;
      EXPECT_EQ(bounds[s].activation_bytes, inputs);
      EXPECT_EQ(run.memory.peak(s).activations, inputs);
    }
  }
}

/// Reference figures R3, "in flight": p - s, and as many versions of the weights.
TEST(MemoryBounds, PipeDreamOnUniformStages) {
  expect_in_flight(pipedream, [](std::int64_t p, std::int64_t s) { return p - s; });
}

/// Reference figures R3, "in flight": 2 (p-1-s) + 1, and as many versions of the weights: 5, 3 and
/// 1 for three stages, so 5 x 64, 3 x 64 and 64 bytes of weights, and 3 x 640 and 640 of inputs.
TEST(MemoryBounds, LayerPipeOnUniformStages) {
  expect_in_flight(retimed, [](std::int64_t p, std::int64_t s) { return 2 * (p - 1 - s) + 1; });
}

/// G(2) takes no cycles, on the last stage, M = 0: its update is there as soon as the gradient is,
/// and delta(2) after it needs the weights before: two versions, one more than M + 1. By the tokens
/// there may be four: what holds G(2) back is delta(2) -> G(1) -> FP(1), with M(1) + 1 = 3 tokens,
/// -> FP(2).
TEST(MemoryBounds, AnUpdateOfNoTimeComesBeforeTheInputGradient) {
  Profile profile = uniform(2);
  profile.layers[1].weight_gradient_cycles = 0;
  const Schedule schedule = retimed(profile);
  const RunMemory run = run_free(schedule, profile);
  const std::vector<LayerMemory> bounds = layer_memory(schedule, profile, 40);
  EXPECT_EQ(run.versions.most(1).weights, 2);
  EXPECT_EQ(bounds[1].weight_versions, 4);
}

/// Three stages, M = 4, 2, 0; a quarter of delta(2) lent to p2. By hand: G(2) can be ahead of
/// delta''(2) by as much as FP(2) is of G(1), M(1) + 1 = 5, since G(1) waits for delta''(2). So p2
/// has at most 3 + 5 versions of 16 B.
TEST(MemoryBounds, TheBorrowerMayFallBehind) {
  const Profile profile = uniform(3);
  const Schedule schedule =
      layerpipe_schedule("layerpipe", profile, {{{0}, {1, {{2, 0.25, 100}}}, {2}}}, 3);
  const std::vector<LayerMemory> bounds = layer_memory(schedule, profile, 40);
  ASSERT_EQ(bounds.size(), 4U);
  EXPECT_EQ(bounds[1].weight_versions, 3);
  EXPECT_FALSE(bounds[1].is_lent);
  EXPECT_EQ(bounds[2].layer, 1U);
  EXPECT_EQ(bounds[2].processor, 2U);
  EXPECT_TRUE(bounds[2].is_lent);
  EXPECT_EQ(bounds[2].weight_versions, 3 + 5);
  EXPECT_EQ(bounds[2].weight_bytes, (3 + 5) * 16);
}

/// Two layers on one processor that have only the network's input, of 100 B, in common: G(1) bounds
/// FP(1), but nothing bounds FP(2) by G(1).
TEST(MemoryBounds, NothingIsKeptForMoreThanAllMinibatches) {
  Profile profile = test_profile({{10, 0, 10, 0, 64}, {10, 0, 10, 0, 64}});
  profile.values.clear();
  profile.layers[0].has_loss = true;
  profile.layers[1].has_input_gradient = false;
  profile.network_inputs = {{100, {{0}, {1}}}};
  const Schedule schedule = layerpipe_schedule("layerpipe", profile, {{{0}, {0}}}, 1);
  const std::vector<LayerMemory> bounds = layer_memory(schedule, profile, 7);
  ASSERT_EQ(bounds.size(), 2U);
  EXPECT_EQ(bounds[0].activation_bytes, 7 * 100);
  EXPECT_EQ(bounds[1].activation_bytes, 0);
  EXPECT_EQ(bounds[0].weight_versions, 1);
}

TEST(MemoryBounds, HoldInEveryRunOnRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const machine::Machine machine = test_machine(1 + seed % 5, 16.0, 3.0);
    const Profile profile = costs::profile(machine, random_graph(1 + seed % 12, seed));
    for (const char* name : {"pipedream", "layerpipe", "layerpipe-optimal"}) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      const Schedule schedule = find_scheduler(name).plan(profile, machine, {}).schedule;
      const RunMemory run(schedule, profile, 12, [&](TensorId id) {
        return static_cast<std::int64_t>(seed % 3) * schedule.tensors[id].bytes;
      });
      std::vector<LayerMemory> processors(schedule.orders.size());
      for (const LayerMemory& entry : layer_memory(schedule, profile, 12)) {
        processors[entry.processor].weight_bytes += entry.weight_bytes;
        processors[entry.processor].activation_bytes += entry.activation_bytes;
        const metrics::LiveVersions::Most most = run.versions.most(entry.layer);
        EXPECT_LE(entry.is_lent ? most.lent_weights : most.weights, entry.weight_versions);
      }
      for (const LayerDelays& layer : layer_delays(schedule)) {
        const metrics::LiveVersions::Most most = run.versions.most(layer.layer);
        EXPECT_LE(most.weights, layer.staleness + 1);
        EXPECT_LE(most.activations, layer.staleness + 1);
      }
      for (ProcessorId p = 0; p < processors.size(); ++p) {
        EXPECT_LE(run.memory.peak(p).weights, processors[p].weight_bytes);
        EXPECT_LE(run.memory.peak(p).activations, processors[p].activation_bytes);
      }
    }
  }
}

}  // namespace
}  // namespace layerpipe::tests
