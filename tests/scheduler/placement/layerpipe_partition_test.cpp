#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/placement/layerpipe.hpp"
#include "scheduler/placement/pipedream.hpp"
#include "tests/support/borrowed_cycles.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/base/error.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::placement {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;

std::vector<std::int64_t> loads(const Profile& profile, const Allocation& allocation,
                                std::size_t processors) {
  return processor_cycles(layerpipe_schedule("layerpipe", profile, allocation, processors));
}

TEST(LayerPipePartition, SampleNetworkIsBalancedToTheCycle) {
  // Reference figures R4: all three processors 32007170, 0.915 of delta(2) and 0.632 of delta(3).
  const Profile profile = tests::sample_profile();
  const LayerPipePartition partition = layerpipe_partition(profile, 3, {});
  EXPECT_DOUBLE_EQ(partition.target_cycles, 32007170.0);
  EXPECT_EQ(loads(profile, partition.allocation, 3),
            (std::vector<std::int64_t>{32007170, 32007170, 32007170}));
  EXPECT_NEAR(borrowed_fraction(partition.allocation.layers[1]), 0.915, 0.0005);
  EXPECT_NEAR(borrowed_fraction(partition.allocation.layers[2]), 0.632, 0.0005);
}

TEST(LayerPipePartition, ThirdsAreTwoBorrowedAndOneKept) {
  // The shares of the paper's Fig. 5. By hand: T_p = 24,000 / 2. Layer c takes 10,000 of p1, so
  // that 2,000 of the 3,000 cycles of delta(b) fit; the rest of b and a take 12,000 of p0.
  const Profile profile = costs::profile(
      tests::test_machine(2), read::read_network(LAYERPIPE_SOURCE_DIR "/workloads/thirds.yaml"));
  const LayerPipePartition partition = layerpipe_partition(profile, 2, {});
  EXPECT_DOUBLE_EQ(partition.target_cycles, 12'000.0);
  EXPECT_DOUBLE_EQ(borrowed_fraction(partition.allocation.layers[1]), 2.0 / 3.0);
  EXPECT_EQ(loads(profile, partition.allocation, 2), (std::vector<std::int64_t>{12'000, 12'000}));
}

TEST(LayerPipePartition, OneProcessorHoldsEverythingAndLendsNothing) {
  const Profile profile = tests::sample_profile();
  const LayerPipePartition partition = layerpipe_partition(profile, 1, {});
  for (const Placement& placement : partition.allocation.layers) {
    EXPECT_EQ(placement.processor, 0U);
    EXPECT_EQ(tests::borrowed_cycles(placement), 0);
  }
}

TEST(LayerPipePartition, TargetNeverFallsBelowTheLargestFixedPart) {
  // Layer 1 cannot lend anything: 21 of 30 cycles stay together whatever the number of processors.
  const Profile profile = tests::test_profile({{10, 0, 11}, {2, 3, 1}, {1, 1, 1}});
  EXPECT_DOUBLE_EQ(layerpipe_partition(profile, 3, {}).target_cycles, 21.0);
}

TEST(LayerPipePartition, LendsAWholeInputGradientWhenOnlyThatFits) {
  // T_p = 90 / 3 = 30. From the output: layer 3 takes 20 of p2; delta(2) = 10 fits there exactly,
  // the rest of layer 2 (30) does not and fills p1.
  const Profile profile = tests::test_profile({{15, 0, 15}, {15, 10, 15}, {10, 5, 5}});
  const LayerPipePartition partition = layerpipe_partition(profile, 3, {});
  EXPECT_DOUBLE_EQ(partition.target_cycles, 30.0);
  EXPECT_EQ(partition.allocation.layers[1].processor, 1U);
  EXPECT_EQ(borrowed_fraction(partition.allocation.layers[1]), 1.0);
  EXPECT_EQ(loads(profile, partition.allocation, 3), (std::vector<std::int64_t>{30, 30, 30}));
}

TEST(LayerPipePartition, RaisesTheTargetWhereKeptAndFixedPartsWouldPart) {
  // T_p = 100 / 2 = 50. Layer 3 takes 45; delta(2) = 20 leaves 15 for the next processor, where
  // the fixed 35 fits exactly. With 36 it does not, and 50.05, 50.10005, ... are tried; the sum of
  // what must lie on the first processor, 36 + 20 - (T - 45), is at most T from 50.5 on.
  const Profile fits = tests::test_profile({{0, 0, 0}, {20, 20, 15}, {15, 15, 15}});
  EXPECT_DOUBLE_EQ(layerpipe_partition(fits, 2, {}).target_cycles, 50.0);
  const Profile grows = tests::test_profile({{0, 0, 0}, {20, 20, 16}, {15, 15, 15}});
  SchedulerOptions options;
  options.alpha = 1.01;
  EXPECT_DOUBLE_EQ(layerpipe_partition(grows, 2, options).target_cycles, 50.5);
}

TEST(LayerPipePartition, ThresholdsMakeInputGradientsImmovable) {
  const Profile profile = tests::sample_profile();
  SchedulerOptions weights;  // layer 2 has 27648 bytes of weights, layer 3 has 110592
  weights.max_lent_weight_bytes = 30000;
  const Allocation few_weights = layerpipe_partition(profile, 3, weights).allocation;
  EXPECT_GT(tests::borrowed_cycles(few_weights.layers[1]), 0);
  EXPECT_EQ(tests::borrowed_cycles(few_weights.layers[2]), 0);
  SchedulerOptions all;
  all.max_lent_bytes = 0;
  for (const Placement& placement : layerpipe_partition(profile, 3, all).allocation.layers) {
    EXPECT_EQ(tests::borrowed_cycles(placement), 0);
  }
}

// T_p = 105 / 3 = 35. Layer 4 fills p2, and layer 3 takes 20 of p1, which leaves room for 15 of
// delta(2); what is left of it takes 35 together with layer 1 and the rest of layer 2.
TEST(LayerPipePartition, LendsToTheProcessorOfTheBorrower) {
  const Profile profile = tests::test_profile({{10, 0, 10}, {5, 20, 5}, {10, 0, 10}, {15, 5, 15}});
  const LayerPipePartition partition = layerpipe_partition(profile, 3, {});
  EXPECT_DOUBLE_EQ(partition.target_cycles, 35.0);
  EXPECT_EQ(tests::borrowed_cycles(partition.allocation.layers[1]), 15);
}

// The same, but layer 4 is the first to use the output of layer 2. As long as layers 3 and 4 are
// parted, layer 2 takes 30 in one piece: 52.5 is the first target with room for it beside layer 3.
TEST(LayerPipePartition, LendsNothingToAProcessorWithoutTheBorrower) {
  Profile profile = tests::test_profile({{10, 0, 10}, {5, 20, 5}, {10, 0, 10}, {15, 5, 15}});
  profile.layers[1].borrower = 3;
  SchedulerOptions options;
  options.alpha = 1.5;
  const LayerPipePartition parted = layerpipe_partition(profile, 3, options);
  EXPECT_DOUBLE_EQ(parted.target_cycles, 52.5);
  EXPECT_EQ(parted.allocation.layers[1].processor, 1U);
  EXPECT_EQ(tests::borrowed_cycles(parted.allocation.layers[1]), 0);
  options.alpha = 1.6;  // 56 holds layers 3 and 4, and 1 of delta(2)
  const LayerPipePartition together = layerpipe_partition(profile, 3, options);
  EXPECT_DOUBLE_EQ(together.target_cycles, 56.0);
  EXPECT_EQ(together.allocation.layers[1].processor, 0U);
  EXPECT_EQ(tests::borrowed_cycles(together.allocation.layers[1]), 1);
}

TEST(LayerPipePartition, LendsNothingWithoutABorrower) {
  Profile profile = tests::sample_profile();
  for (LayerProfile& layer : profile.layers) layer.borrower = std::nullopt;
  for (const Placement& placement : layerpipe_partition(profile, 3, {}).allocation.layers) {
    EXPECT_EQ(tests::borrowed_cycles(placement), 0);
  }
}

/// Layers 1 and 3 of 60 and 100 cycles, and layer 2 of 40 and a delta(2) of 10 channels or 2
/// samples on a 4 x 4 array: 3 column folds of 2 x 4 + 4 + 10 - 2 = 20 cycles.
Profile divisible() {
  Profile profile = tests::test_profile({{30, 0, 30}, {20, 60, 20}, {50, 2, 48}});
  profile.layers[1].input_gradient_gemms = array::InputGradientGemms{
      .size = {4, 4}, .gemm = {10, 4, 10}, .groups = 1, .group_channels = 10, .samples = 2};
  for (const std::size_t l : {0U, 2U}) {  // 1 x 1 x 1 on a 1 x 1 array: 2 cycles
    profile.layers[l].input_gradient_gemms = array::InputGradientGemms{};
  }
  return profile;
}

// T_p starts at 260 / 2 = 130 and leaves 30 for delta''(2): the 4 channels of one fold. The other 6
// are two folds and p0 takes 60 + 40 + 40. At 140 two folds fit on p1: 8 channels are lent.
TEST(LayerPipePartition, LendsTheMostChannelsThatFit) {
  SchedulerOptions options;
  options.split = Split::channels;
  options.alpha = 14.0 / 13.0;
  const LayerPipePartition partition = layerpipe_partition(divisible(), 2, options);
  EXPECT_DOUBLE_EQ(partition.target_cycles, 140.0);
  EXPECT_EQ(partition.allocation.split, Split::channels);
  EXPECT_DOUBLE_EQ(borrowed_fraction(partition.allocation.layers[1]), 0.8);
  EXPECT_EQ(tests::borrowed_cycles(partition.allocation.layers[1]), 40);
  EXPECT_EQ(loads(divisible(), partition.allocation, 2), (std::vector<std::int64_t>{120, 140}));
}

// One sample takes 3 x (2 x 4 + 4 + 5 - 2) = 45 cycles: it fits from 145 on, and the other stays.
TEST(LayerPipePartition, LendsTheMostSamplesThatFit) {
  SchedulerOptions options;
  options.split = Split::batch;
  options.alpha = 145.0 / 130.0;
  const LayerPipePartition partition = layerpipe_partition(divisible(), 2, options);
  EXPECT_DOUBLE_EQ(partition.target_cycles, 145.0);
  EXPECT_DOUBLE_EQ(borrowed_fraction(partition.allocation.layers[1]), 0.5);
  EXPECT_EQ(loads(divisible(), partition.allocation, 2), (std::vector<std::int64_t>{145, 145}));
}

TEST(LayerPipePartition, RefusesAnAlphaThatDoesNotGrow) {
  SchedulerOptions options;
  options.alpha = 1.0;
  EXPECT_THROW(static_cast<void>(layerpipe_partition(tests::sample_profile(), 3, options)),
               UsageError);
}

// T_p = 100 / 3 takes four processors, 40.4 three: layer 3 takes 30; of delta(2) = 30 fit 10.4
// beside it and the other 19.6 open the next processor, where the rest of layer 2, 30, does not
// fit. It opens one more, on which layer 1 has room. By the strict reading that fails, and 49 is
// next.
TEST(LayerPipePartition, PartsAnInputGradientFromItsLayer) {
  const Profile profile = tests::test_profile({{5, 0, 5}, {15, 30, 15}, {10, 10, 10}});
  SchedulerOptions options;
  options.alpha = 40.0 / 33.0;
  const LayerPipePartition literal = layerpipe_partition(profile, 3, options, Reading::literal);
  const Placement& parted = literal.allocation.layers[1];
  EXPECT_EQ(parted.processor, 0U);
  ASSERT_EQ(parted.borrowed.size(), 2U);
  EXPECT_EQ(parted.borrowed[0].processor, 1U);
  EXPECT_EQ(parted.borrowed[1].processor, 2U);
  EXPECT_EQ(borrowed_fraction(parted), 1.0);
  const LayerPipePartition strict = layerpipe_partition(profile, 3, options, Reading::strict);
  EXPECT_EQ(strict.allocation.layers[1].borrowed.size(), 1U);
}

Profile vgg16(std::int64_t array, std::int64_t batch) {
  machine::Machine machine = tests::test_machine(1);
  machine.array.rows = array;
  machine.array.cols = array;
  return costs::profile(
      machine,
      read::read_network(std::string(LAYERPIPE_SOURCE_DIR) + "/workloads/vgg16.yaml", batch));
}

std::int64_t slowest(const Profile& profile, std::size_t processors, Reading reading) {
  return std::ranges::max(
      loads(profile, layerpipe_partition(profile, processors, {}, reading).allocation, processors));
}

// Reference figures R7.
TEST(LayerPipePartition, Vgg16ByBothReadings) {
  EXPECT_EQ(slowest(vgg16(128, 32), 8, Reading::literal), 20047222);
  EXPECT_EQ(slowest(vgg16(128, 32), 8, Reading::strict), 22579245);
  EXPECT_EQ(slowest(vgg16(256, 32), 6, Reading::literal), 13236218);
  EXPECT_EQ(slowest(vgg16(256, 32), 6, Reading::strict), 14209651);
}

// Reference figures R7: mean gain over the best whole-layer stages 20.9 % and 18.6 %.
TEST(LayerPipePartition, Vgg16GainsOverWholeLayers) {
  double literal = 0.0;
  double strict = 0.0;
  int points = 0;
  for (const std::int64_t array : {32, 64, 128, 256}) {
    for (const std::int64_t batch : {16, 32, 64, 128, 256}) {
      const Profile profile = vgg16(array, batch);
      for (std::size_t processors = 2; processors <= 12; ++processors) {
        const std::vector<ProcessorId> stages = pipedream_partition(
            profile, tests::test_machine(processors), PartitionObjective::compute);
        Allocation whole;
        for (const ProcessorId stage : stages) whole.layers.push_back({stage});
        const auto most = static_cast<double>(std::ranges::max(loads(profile, whole, processors)));
        const auto gain = [&](Reading reading) {
          return most / static_cast<double>(slowest(profile, processors, reading)) - 1.0;
        };
        literal += gain(Reading::literal);
        strict += gain(Reading::strict);
        ++points;
      }
    }
  }
  EXPECT_NEAR(literal / points, 0.209, 0.0005);
  EXPECT_NEAR(strict / points, 0.186, 0.0005);
}

/// Whatever the costs: loads stay within a cycle of the target (borrowed parts are rounded down),
/// nothing is lost, borrowed parts lie between the layer's processor and the next layer's, and no
/// processor is left out but those that they lie on.
class RandomChains : public testing::TestWithParam<Reading> {};

TEST_P(RandomChains, KeepThePromises) {
  int parted = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Profile profile = tests::random_profile(1 + seed % 12, seed);
    const std::size_t processors = 1 + seed % 7;
    const LayerPipePartition partition = layerpipe_partition(profile, processors, {}, GetParam());
    const auto& layers = partition.allocation.layers;
    ASSERT_EQ(layers.size(), profile.layers.size());
    EXPECT_EQ(layers.front().processor, 0U);
    EXPECT_TRUE(layers.back().borrowed.empty());
    for (std::size_t l = 0; l + 1 < layers.size(); ++l) {
      const ProcessorId next = layers[l + 1].processor;
      for (ProcessorId p = layers[l].processor + 1; p < next; ++p) {
        EXPECT_TRUE(std::ranges::any_of(
            layers[l].borrowed, [p](const BorrowedPart& part) { return part.processor == p; }));
        ++parted;
      }
      for (const BorrowedPart& part : layers[l].borrowed) {
        EXPECT_GT(part.processor, layers[l].processor);
        EXPECT_LE(part.processor, next);
      }
    }
    const auto cycles = loads(profile, partition.allocation, processors);
    EXPECT_LT(static_cast<double>(std::ranges::max(cycles)), partition.target_cycles + 1.0);
    EXPECT_EQ(std::accumulate(cycles.begin(), cycles.end(), std::int64_t{0}),
              total_cycles(profile));
  }
  EXPECT_EQ(parted > 0, GetParam() == Reading::literal);
}

INSTANTIATE_TEST_SUITE_P(BothReadings, RandomChains,
                         testing::Values(Reading::literal, Reading::strict));

}  // namespace
}  // namespace layerpipe::placement
