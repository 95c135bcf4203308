#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "scheduler/placement/pipedream.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::placement {
namespace {

using namespace costs;

using Stages = std::vector<ProcessorId>;

/// Both ways: values that are made before layer `begin` and used from there on, each once.
double bytes_across(const Profile& profile, std::size_t begin) {
  double bytes = 0.0;
  for (const Value& value : profile.values) {
    const bool is_used_behind = std::any_of(value.uses.begin(), value.uses.end(),
                                            [&](const auto& use) { return use.layer >= begin; });
    if (value.layer >= begin || !is_used_behind) continue;
    bytes += static_cast<double>(value.activation_bytes + value.gradient_bytes);
  }
  return bytes;
}

/// Slowest of all stages' cycles and, with `bytes_per_cycle`, of all boundaries' transfers.
double bottleneck(const Profile& profile, const Stages& stages, double bytes_per_cycle) {
  std::vector<double> cycles(profile.layers.size(), 0.0);
  double slowest = 0.0;
  for (std::size_t l = 0; l < stages.size(); ++l) {
    const LayerProfile& layer = profile.layers[l];
    cycles[stages[l]] += static_cast<double>(layer.forward_cycles + layer.input_gradient_cycles +
                                             layer.weight_gradient_cycles);
    if (l + 1 < stages.size() && stages[l] != stages[l + 1]) {
      slowest = std::max(slowest, bytes_across(profile, l + 1) / bytes_per_cycle);
    }
  }
  return std::max(slowest, *std::max_element(cycles.begin(), cycles.end()));
}

/// Least bottleneck over every way to cut the chain, by enumeration.
double exhaustive(const Profile& profile, std::size_t processors, double bytes_per_cycle) {
  const std::size_t boundaries = profile.layers.size() - 1;
  double best = std::numeric_limits<double>::infinity();
  for (unsigned cuts = 0; cuts < (1U << boundaries); ++cuts) {
    Stages stages{0};
    for (std::size_t b = 0; b < boundaries; ++b) {
      stages.push_back(stages.back() + ((cuts >> b) & 1U));
    }
    if (stages.back() >= processors) continue;
    best = std::min(best, bottleneck(profile, stages, bytes_per_cycle));
  }
  return best;
}

constexpr double free_of_charge = std::numeric_limits<double>::infinity();

TEST(PipeDreamPartition, EqualsExhaustiveSearchOnRandomChains) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Profile profile = tests::random_profile(1 + seed % 9, seed);
    const std::size_t processors = 1 + seed % 5;
    const machine::Machine machine = tests::test_machine(processors, 8.0);
    const Stages compute = pipedream_partition(profile, machine, PartitionObjective::compute);
    EXPECT_EQ(bottleneck(profile, compute, free_of_charge),
              exhaustive(profile, processors, free_of_charge))
        << "seed " << seed;
    const Stages communication =
        pipedream_partition(profile, machine, PartitionObjective::communication);
    EXPECT_DOUBLE_EQ(bottleneck(profile, communication, 8.0), exhaustive(profile, processors, 8.0))
        << "seed " << seed;
  }
}

/// Skips count at every boundary that they pass.
TEST(PipeDreamPartition, EqualsExhaustiveSearchOnRandomGraphs) {
  std::size_t bound_by_a_boundary = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::size_t processors = 2 + seed % 4;
    const double bytes_per_cycle = 0.5;
    const machine::Machine machine = tests::test_machine(processors, bytes_per_cycle);
    const Profile profile = costs::profile(machine, tests::random_graph(2 + seed % 9, seed));
    const Stages stages = pipedream_partition(profile, machine, PartitionObjective::communication);
    const double slowest = bottleneck(profile, stages, bytes_per_cycle);
    EXPECT_DOUBLE_EQ(slowest, exhaustive(profile, processors, bytes_per_cycle)) << "seed " << seed;
    if (slowest > bottleneck(profile, stages, free_of_charge)) ++bound_by_a_boundary;
  }
  EXPECT_GT(bound_by_a_boundary, 10U);
}

TEST(PipeDreamPartition, SampleNetworkOnThreeProcessors) {
  // Reference figures R4: {1}, {2}, {3, 4}, slowest 43434336.
  const Profile profile = tests::sample_profile();
  const Stages stages =
      pipedream_partition(profile, tests::test_machine(3), PartitionObjective::communication);
  EXPECT_EQ(stages, (Stages{0, 1, 2, 2}));
  EXPECT_EQ(bottleneck(profile, stages, free_of_charge), 43434336.0);
}

TEST(PipeDreamPartition, Vgg16Convolutions) {
  // Reference figures R4, batch 32, 32 x 32 arrays: slowest 443143232 on 4 processors, 264991360
  // on 8.
  const auto network =
      read::read_network(std::string(LAYERPIPE_SOURCE_DIR) + "/workloads/vgg16-conv.yaml");
  const Profile profile = costs::profile(tests::test_machine(1), network);
  for (const auto& [processors, slowest] : {std::pair{4U, 443143232.0}, {8U, 264991360.0}}) {
    const Stages stages =
        pipedream_partition(profile, tests::test_machine(processors), PartitionObjective::compute);
    EXPECT_EQ(bottleneck(profile, stages, free_of_charge), slowest);
  }
}

TEST(PipeDreamPartition, UsesNoMoreProcessorsThanItNeeds) {
  // One layer is as slow as all others together: two stages are as good as four.
  const Profile profile = tests::test_profile({{10}, {10}, {10}, {30}});
  EXPECT_EQ(pipedream_partition(profile, tests::test_machine(4), PartitionObjective::compute),
            (Stages{0, 0, 0, 1}));
}

TEST(PipeDreamPartition, AmongEqualCutsTakesTheOneWithFewerBytes) {
  // Cutting behind the first or behind the second layer gives a slowest stage of 20 cycles.
  const Profile profile = tests::test_profile({{10, 0, 0, 800}, {10, 0, 0, 80}, {10}});
  EXPECT_EQ(pipedream_partition(profile, tests::test_machine(2), PartitionObjective::compute),
            (Stages{0, 0, 1}));
}

TEST(PipeDreamPartition, AmongEqualCutsTakesTheOneThatComputesFastest) {
  // Any cut costs 2 x 960 bytes at 64 bytes a cycle = 30 cycles, as long as three layers take.
  const Profile profile = tests::test_profile(
      {{10, 0, 0, 960}, {10, 0, 0, 960}, {10, 0, 0, 960}, {10, 0, 0, 960}, {10}});
  EXPECT_EQ(pipedream_partition(profile, tests::test_machine(5), PartitionObjective::communication),
            (Stages{0, 1, 2, 3, 4}));
}

TEST(PipeDreamPartition, AvoidsABoundaryThatIsSlowerThanComputing) {
  // 2 x 8000 bytes at 64 bytes a cycle take 250 cycles, all three layers together 30.
  const Profile profile = tests::test_profile({{10, 0, 0, 8000}, {10, 0, 0, 8000}, {10}});
  EXPECT_EQ(pipedream_partition(profile, tests::test_machine(3), PartitionObjective::communication),
            (Stages{0, 0, 0}));
  EXPECT_EQ(pipedream_partition(profile, tests::test_machine(3), PartitionObjective::compute),
            (Stages{0, 1, 2}));
}

}  // namespace
}  // namespace layerpipe::placement
