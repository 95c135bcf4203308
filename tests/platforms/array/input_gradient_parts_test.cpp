#include "platforms/array/input_gradient_parts.hpp"

#include <gtest/gtest.h>

namespace layerpipe::tests {
namespace {

using namespace array;

/// 3 x 3 convolution with padding 1 from 80 x 14 x 14 to 24 x 14 x 14.
network::Layer convolution() {
  network::Layer layer;
  layer.name = "conv";
  layer.type = network::LayerType::conv2d;
  layer.window = {.kernel = {3, 3}, .stride = {1, 1}, .padding = {1, 1}};
  layer.out_channels = 24;
  layer.input = {80, 14, 14};
  layer.output = {24, 14, 14};
  return layer;
}

InputGradientGemms gemms(const SystolicArray& array) {
  return input_gradient_gemms(array, convolution(), 4).value();
}

constexpr std::int64_t positions = 14 * 14;  // of one sample, input and output alike

// Weight-stationary, mapping convolution: K = 3 x 3 x 24 = 216 rows in ceil(216 / 32) = 7 folds,
// Cin columns, and a stream of M = samples x 196 through each pass of 2 x 32 + 32 + M - 2 cycles.
TEST(InputGradientParts, ChannelsMoveInColumnFoldsUnderWeightStationary) {
  const InputGradientGemms delta = gemms({32, 32});
  constexpr std::int64_t row_folds = 7 * (2 * 32 + 32 + 4 * positions - 2);
  EXPECT_EQ(delta.channels(), 80);
  EXPECT_EQ(cycles_of_channels(delta, 0), 0);
  EXPECT_EQ(cycles_of_channels(delta, 1), row_folds);
  EXPECT_EQ(cycles_of_channels(delta, 32), row_folds);
  EXPECT_EQ(cycles_of_channels(delta, 33), 2 * row_folds);
  EXPECT_EQ(cycles_of_channels(delta, 80), 3 * row_folds);
}

TEST(InputGradientParts, SamplesPayTheFillOfEveryFold) {
  const InputGradientGemms delta = gemms({32, 32});
  EXPECT_EQ(cycles_of_samples(delta, 0), 0);
  EXPECT_EQ(cycles_of_samples(delta, 1), 7 * 3 * (2 * 32 + 32 + positions - 2));
  EXPECT_EQ(cycles_of_samples(delta, 3), 7 * 3 * (2 * 32 + 32 + 3 * positions - 2));
}

// Output-stationary: M in ceil(M / R) row folds, N = Cin in column folds, K = 216 streams.
TEST(InputGradientParts, OutputStationary) {
  const InputGradientGemms delta = gemms({32, 32, Dataflow::output_stationary});
  constexpr std::int64_t pass = 2 * 32 + 32 + 216 - 2;
  EXPECT_EQ(cycles_of_channels(delta, 40), pass * 25 * 2);  // 784 / 32 = 24.5, 40 / 32 = 1.25
  EXPECT_EQ(cycles_of_samples(delta, 3), pass * 19 * 3);    // 588 / 32 = 18.4, 80 / 32 = 2.5
}

// Input-stationary: K in 7 row folds, M in column folds, N = Cin streams: every channel counts.
TEST(InputGradientParts, InputStationary) {
  const InputGradientGemms delta = gemms({32, 32, Dataflow::input_stationary});
  EXPECT_EQ(cycles_of_channels(delta, 40), (2 * 32 + 32 + 40 - 2) * 7 * 25);
  EXPECT_EQ(cycles_of_samples(delta, 3), (2 * 32 + 32 + 80 - 2) * 7 * 19);
}

// Mapping gemm: K = Cout = 24 in one row fold; each channel brings 3 x 3 columns.
TEST(InputGradientParts, ChannelsOfTheMappingGemmAreKernelsWide) {
  SystolicArray array{32, 32};
  array.input_gradient = network::InputGradientMapping::gemm;
  constexpr std::int64_t pass = 2 * 32 + 32 + 4 * positions - 2;
  EXPECT_EQ(cycles_of_channels(gemms(array), 3), pass);      // 27 columns
  EXPECT_EQ(cycles_of_channels(gemms(array), 4), 2 * pass);  // 36 columns
}

// Two groups of 40 channels, each of ceil(40 / 32) = 2 column folds.
TEST(InputGradientParts, GroupsAreTakenWholeAndOneInPart) {
  InputGradientGemms delta = gemms({32, 32});
  delta.groups = 2;
  delta.group_channels = 40;
  delta.gemm = {4 * positions, 9 * 12, 40};
  constexpr std::int64_t fold = 4 * (2 * 32 + 32 + 4 * positions - 2);  // 108 / 32 = 3.4
  EXPECT_EQ(delta.channels(), 80);
  EXPECT_EQ(cycles_of_channels(delta, 30), fold);
  EXPECT_EQ(cycles_of_channels(delta, 40), 2 * fold);
  EXPECT_EQ(cycles_of_channels(delta, 50), 3 * fold);
  EXPECT_EQ(cycles_of_channels(delta, 80), 4 * fold);
  EXPECT_EQ(cycles_of_samples(delta, 1), 2 * 2 * 4 * (2 * 32 + 32 + positions - 2));
}

TEST(InputGradientParts, TheWholeCostsWhatTheLayerCosts) {
  for (const Dataflow dataflow : all_dataflows) {
    const SystolicArray array{32, 16, dataflow};
    const std::int64_t whole = training_cycles(array, 1e9, convolution(), 4).input_gradient;
    EXPECT_EQ(cycles_of_channels(gemms(array), 80), whole);
    EXPECT_EQ(cycles_of_samples(gemms(array), 4), whole);
  }
}

TEST(InputGradientParts, MeasuredAndWeightlessLayersHaveNone) {
  network::Layer layer = convolution();
  layer.type = network::LayerType::measured;
  EXPECT_FALSE(input_gradient_gemms({}, layer, 4));
  layer.type = network::LayerType::relu;
  EXPECT_FALSE(input_gradient_gemms({}, layer, 4));
}

}  // namespace
}  // namespace layerpipe::tests
