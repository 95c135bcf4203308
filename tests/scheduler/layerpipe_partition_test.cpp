#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "scheduler/layerpipe_schedule.hpp"
#include "scheduler/partition/layerpipe.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::scheduler {
namespace {

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
  EXPECT_NEAR(partition.allocation.layers[1].lent_fraction, 0.915, 0.0005);
  EXPECT_NEAR(partition.allocation.layers[2].lent_fraction, 0.632, 0.0005);
}

TEST(LayerPipePartition, OneProcessorHoldsEverythingAndLendsNothing) {
  const Profile profile = tests::sample_profile();
  const LayerPipePartition partition = layerpipe_partition(profile, 1, {});
  for (const Placement& placement : partition.allocation.layers) {
    EXPECT_EQ(placement.processor, 0U);
    EXPECT_EQ(placement.lent_cycles, 0);
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
  EXPECT_EQ(partition.allocation.layers[1].lent_fraction, 1.0);
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
  EXPECT_GT(few_weights.layers[1].lent_cycles, 0);
  EXPECT_EQ(few_weights.layers[2].lent_cycles, 0);
  SchedulerOptions all;
  all.max_lent_bytes = 0;
  for (const Placement& placement : layerpipe_partition(profile, 3, all).allocation.layers) {
    EXPECT_EQ(placement.lent_cycles, 0);
  }
}

// T_p = 105 / 3 = 35. Layer 4 fills p2, and layer 3 takes 20 of p1, which leaves room for 15 of
// delta(2); what is left of it takes 35 together with layer 1 and the rest of layer 2.
TEST(LayerPipePartition, LendsToTheProcessorOfTheLender) {
  const Profile profile = tests::test_profile({{10, 0, 10}, {5, 20, 5}, {10, 0, 10}, {15, 5, 15}});
  const LayerPipePartition partition = layerpipe_partition(profile, 3, {});
  EXPECT_DOUBLE_EQ(partition.target_cycles, 35.0);
  EXPECT_EQ(partition.allocation.layers[1].lent_cycles, 15);
}

// The same, but layer 4 is the first to use the output of layer 2. As long as layers 3 and 4 are
// parted, layer 2 takes 30 in one piece: 52.5 is the first target with room for it beside layer 3.
TEST(LayerPipePartition, LendsNothingToAProcessorWithoutTheLender) {
  Profile profile = tests::test_profile({{10, 0, 10}, {5, 20, 5}, {10, 0, 10}, {15, 5, 15}});
  profile.layers[1].lender = 3;
  SchedulerOptions options;
  options.alpha = 1.5;
  const LayerPipePartition parted = layerpipe_partition(profile, 3, options);
  EXPECT_DOUBLE_EQ(parted.target_cycles, 52.5);
  EXPECT_EQ(parted.allocation.layers[1].processor, 1U);
  EXPECT_EQ(parted.allocation.layers[1].lent_cycles, 0);
  options.alpha = 1.6;  // 56 holds layers 3 and 4, and 1 of delta(2)
  const LayerPipePartition together = layerpipe_partition(profile, 3, options);
  EXPECT_DOUBLE_EQ(together.target_cycles, 56.0);
  EXPECT_EQ(together.allocation.layers[1].processor, 0U);
  EXPECT_EQ(together.allocation.layers[1].lent_cycles, 1);
}

TEST(LayerPipePartition, LendsNothingWithoutALender) {
  Profile profile = tests::sample_profile();
  for (LayerProfile& layer : profile.layers) layer.lender = std::nullopt;
  for (const Placement& placement : layerpipe_partition(profile, 3, {}).allocation.layers) {
    EXPECT_EQ(placement.lent_cycles, 0);
  }
}

/// Layers 1 and 3 of 60 and 100 cycles, and layer 2 of 40 and a delta(2) of 10 channels or 2
/// samples on a 4 x 4 array: 3 column folds of 2 x 4 + 4 + 10 - 2 = 20 cycles.
Profile divisible() {
  Profile profile = tests::test_profile({{30, 0, 30}, {20, 60, 20}, {50, 2, 48}});
  profile.layers[1].input_gradient_gemms = platforms::InputGradientGemms{
      .size = {4, 4}, .gemm = {10, 4, 10}, .groups = 1, .group_channels = 10, .samples = 2};
  for (const std::size_t l : {0U, 2U}) {  // 1 x 1 x 1 on a 1 x 1 array: 2 cycles
    profile.layers[l].input_gradient_gemms = platforms::InputGradientGemms{};
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
  EXPECT_DOUBLE_EQ(partition.allocation.layers[1].lent_fraction, 0.8);
  EXPECT_EQ(partition.allocation.layers[1].lent_cycles, 40);
  EXPECT_EQ(loads(divisible(), partition.allocation, 2), (std::vector<std::int64_t>{120, 140}));
}

// One sample takes 3 x (2 x 4 + 4 + 5 - 2) = 45 cycles: it fits from 145 on, and the other stays.
TEST(LayerPipePartition, LendsTheMostSamplesThatFit) {
  SchedulerOptions options;
  options.split = Split::batch;
  options.alpha = 145.0 / 130.0;
  const LayerPipePartition partition = layerpipe_partition(divisible(), 2, options);
  EXPECT_DOUBLE_EQ(partition.target_cycles, 145.0);
  EXPECT_DOUBLE_EQ(partition.allocation.layers[1].lent_fraction, 0.5);
  EXPECT_EQ(loads(divisible(), partition.allocation, 2), (std::vector<std::int64_t>{145, 145}));
}

TEST(LayerPipePartition, RefusesAnAlphaThatDoesNotGrow) {
  SchedulerOptions options;
  options.alpha = 1.0;
  EXPECT_THROW(static_cast<void>(layerpipe_partition(tests::sample_profile(), 3, options)),
               UsageError);
}

/// Whatever the costs: loads stay within a cycle of the target (lent parts are rounded down),
/// nothing is lost, only the next layer's processor lends, no processor is left out.
TEST(LayerPipePartition, KeepsItsPromisesOnRandomChains) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Profile profile = tests::random_profile(1 + seed % 12, seed);
    const std::size_t processors = 1 + seed % 7;
    const LayerPipePartition partition = layerpipe_partition(profile, processors, {});
    const auto& layers = partition.allocation.layers;
    ASSERT_EQ(layers.size(), profile.layers.size());
    EXPECT_EQ(layers.front().processor, 0U) << "seed " << seed;
    for (std::size_t l = 0; l + 1 < layers.size(); ++l) {
      EXPECT_LE(layers[l + 1].processor - layers[l].processor, 1U) << "seed " << seed;
      if (layers[l].processor == layers[l + 1].processor) {
        EXPECT_EQ(layers[l].lent_cycles, 0) << "seed " << seed;
      }
    }
    EXPECT_EQ(layers.back().lent_cycles, 0);
    const auto cycles = loads(profile, partition.allocation, processors);
    EXPECT_LT(static_cast<double>(*std::max_element(cycles.begin(), cycles.end())),
              partition.target_cycles + 1.0)
        << "seed " << seed;
    EXPECT_EQ(std::accumulate(cycles.begin(), cycles.end(), std::int64_t{0}), total_cycles(profile))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace layerpipe::scheduler
