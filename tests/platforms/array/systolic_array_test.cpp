#include "platforms/array/systolic_array.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "workloads/base/error.hpp"
#include "workloads/network/layer.hpp"
#include "workloads/network/shape.hpp"

namespace layerpipe::array {
namespace {

using network::Gemm;
using network::InputGradientMapping;
using network::Layer;
using network::LayerType;
using network::Shape;
using testing::HasSubstr;

/// A square convolution, with its output's shape by PyTorch's rule.
Layer convolution(Shape input, std::int64_t filters, std::int64_t kernel, std::int64_t stride,
                  std::int64_t padding) {
  Layer layer;
  layer.name = "conv";
  layer.type = LayerType::conv2d;
  layer.window.kernel = {kernel, kernel};
  layer.window.stride = {stride, stride};
  layer.window.padding = {padding, padding};
  layer.out_channels = filters;
  layer.input = input;
  layer.output = network::output_shape(layer, input);
  return layer;
}

SystolicArray square(std::int64_t extent) {
  SystolicArray array;
  array.rows = extent;
  array.cols = extent;
  return array;
}

struct Row {
  std::string dataflow;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t sr = 0;
  std::int64_t sc = 0;
  std::int64_t t = 0;
  std::int64_t total_cycles = 0;
};

std::vector<Row> scale_sim_rows() {
  std::ifstream file(LAYERPIPE_SOURCE_DIR "/tests/data/scalesim_v2_small_shapes.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream stream(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    const auto number = [&](std::size_t column) { return std::stoll(cells.at(column)); };
    rows.push_back(
        {cells.at(0), number(1), number(2), number(11), number(12), number(13), number(14)});
  }
  return rows;
}

// "Total Cycles" of SCALE-Sim v2 is the index of the last cycle, and leaves out the drain of `rows`
// cycles of each fold of an output-stationary array.
TEST(SystolicArray, EqualsScaleSimOnEveryRow) {
  const std::vector<Row> rows = scale_sim_rows();
  ASSERT_EQ(rows.size(), 30U);
  for (const Row& row : rows) {
    const std::int64_t folds =
        ((row.sr + row.rows - 1) / row.rows) * ((row.sc + row.cols - 1) / row.cols);
    SCOPED_TRACE(row.dataflow + " " + std::to_string(row.total_cycles));
    if (row.dataflow == "ws") {
      EXPECT_EQ(
          gemm_cycles(row.rows, row.cols, Dataflow::weight_stationary, Gemm{row.t, row.sr, row.sc}),
          row.total_cycles + 1);
    } else if (row.dataflow == "is") {
      EXPECT_EQ(
          gemm_cycles(row.rows, row.cols, Dataflow::input_stationary, Gemm{row.sc, row.sr, row.t}),
          row.total_cycles + 1);
    } else {
      EXPECT_EQ(
          gemm_cycles(row.rows, row.cols, Dataflow::output_stationary, Gemm{row.sr, row.t, row.sc}),
          row.total_cycles + 1 + row.rows * folds);
    }
  }
}

// The published formula's figures for four GEMMs (M, N, K) on 32 x 32.
TEST(SystolicArray, EqualsThePublishedFormulaOnGemms) {
  const std::vector<Gemm> gemms{{64, 64, 64}, {256, 32, 32}, {1, 96, 64}, {10, 31, 33}};
  const auto cycles = [&](Dataflow dataflow) {
    std::vector<std::int64_t> result;
    for (const Gemm& gemm : gemms) result.push_back(gemm_cycles(32, 32, dataflow, gemm));
    return result;
  };
  EXPECT_EQ(cycles(Dataflow::weight_stationary), (std::vector<std::int64_t>{632, 350, 570, 208}));
  EXPECT_EQ(cycles(Dataflow::input_stationary), (std::vector<std::int64_t>{632, 1008, 474, 127}));
  EXPECT_EQ(cycles(Dataflow::output_stationary), (std::vector<std::int64_t>{632, 1008, 380, 250}));
}

struct Convolution {
  std::int64_t rows, cols, extent, kernel, channels, filters, total_cycles;
};

// Reported by SCALE-Sim v2, weight-stationary, stride 1, no padding: one less than the formula.
TEST(SystolicArray, EqualsScaleSimOnForwardConvolutions) {
  const std::vector<Convolution> convolutions{
      {4, 4, 3, 1, 1, 1, 18},     {4, 4, 5, 3, 1, 4, 56},  {4, 4, 5, 3, 2, 5, 189},
      {8, 8, 8, 3, 3, 8, 231},    {8, 4, 8, 3, 3, 9, 647}, {16, 16, 6, 1, 17, 16, 163},
      {32, 32, 9, 3, 4, 10, 285}, {1, 1, 4, 2, 2, 3, 239}};
  for (const Convolution& c : convolutions) {
    SystolicArray array;
    array.rows = c.rows;
    array.cols = c.cols;
    const Layer layer = convolution({c.channels, c.extent, c.extent}, c.filters, c.kernel, 1, 0);
    EXPECT_EQ(training_cycles(array, 1e9, layer, 1).forward, c.total_cycles + 1);
  }
}

Layer vgg16_conv1_2() { return convolution({64, 224, 224}, 64, 3, 1, 1); }

// Reported by SCALE-Sim v2 for batch 1 on arrays from 32 x 32 to 256 x 256.
TEST(SystolicArray, EqualsScaleSimOnVgg16) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> reported{
      {32, 1809719}, {64, 453293}, {128, 252789}, {256, 152825}};
  for (const auto& [extent, cycles] : reported) {
    EXPECT_EQ(training_cycles(square(extent), 1e9, vgg16_conv1_2(), 1).forward, cycles + 1);
  }
}

// From an independent script: forward pass and input gradient of conv1_2 are of one shape; the
// weight gradient is dearer where the activations are held.
TEST(SystolicArray, TrainsVgg16Conv12) {
  SystolicArray array = square(32);
  EXPECT_EQ(training_cycles(array, 1e9, vgg16_conv1_2(), 32),
            (TrainingCycles{57806136, 57806136, 67235840}));
  array.weight_gradient_dataflow = Dataflow::input_stationary;
  EXPECT_EQ(training_cycles(array, 1e9, vgg16_conv1_2(), 32).weight_gradient, 142700544);

  array = square(128);
  EXPECT_EQ(training_cycles(array, 1e9, vgg16_conv1_2(), 32),
            (TrainingCycles{8030070, 8030070, 12017152}));
  array.weight_gradient_dataflow = Dataflow::input_stationary;
  EXPECT_EQ(training_cycles(array, 1e9, vgg16_conv1_2(), 32).weight_gradient, 27973120);
}

// From an independent script: the sample network, batch 32, on 32 x 32. It leaves out the input
// gradient of the first layer.
TEST(SystolicArray, TrainsTheSampleNetwork) {
  const Layer first = convolution({3, 224, 224}, 16, 7, 1, 3);
  const Layer second = convolution(first.output, 48, 3, 2, 1);
  const Layer third = convolution(second.output, 64, 3, 2, 1);
  const Layer fourth = convolution(third.output, 128, 3, 1, 1);
  const SystolicArray array = square(32);
  EXPECT_EQ(training_cycles(array, 1e9, first, 32).forward, 8028630);
  EXPECT_EQ(training_cycles(array, 1e9, first, 32).weight_gradient, 12092416);
  EXPECT_EQ(training_cycles(array, 1e9, second, 32), (TrainingCycles{4015020, 22480164, 5970944}));
  EXPECT_EQ(training_cycles(array, 1e9, third, 32), (TrainingCycles{2812488, 14454072, 3299072}));
  EXPECT_EQ(training_cycles(array, 1e9, fourth, 32), (TrainingCycles{7232112, 7232112, 8404480}));
}

// By hand: 8 x 8 x 2 -> 4 x 4 x 4 with a kernel of 1 and stride 2, batch 1, on 4 x 4. One fold in
// both mappings; the convolution streams the 64 positions of the input, 8 + 4 + 64 - 2, the GEMM
// the 16 of the output, 8 + 4 + 16 - 2.
TEST(SystolicArray, MapsTheInputGradientBothWays) {
  SystolicArray array = square(4);
  const Layer layer = convolution({2, 8, 8}, 4, 1, 2, 0);
  EXPECT_EQ(training_cycles(array, 1e9, layer, 1).input_gradient, 74);
  array.input_gradient = InputGradientMapping::gemm;
  EXPECT_EQ(training_cycles(array, 1e9, layer, 1).input_gradient, 26);
}

// By hand: a depthwise 3 x 3 convolution of 32 x 112 x 112, the first of MobileNetV2, on 32 x 32.
// Each of the 32 channels holds 9 x 1 weights and streams 12,544 positions, 64 + 32 + 12,544 - 2;
// the weight gradient holds 12,544 x 1 values in 392 folds of 64 + 32 + 9 - 2.
TEST(SystolicArray, ExecutesGroupsOneAfterTheOther) {
  Layer layer = convolution({32, 112, 112}, 32, 3, 1, 1);
  layer.groups = 32;
  EXPECT_EQ(training_cycles(square(32), 1e9, layer, 1),
            (TrainingCycles{32 * 12'638, 32 * 12'638, 32 * 392 * 103}));
}

// By hand: 2 x 8 x 8 -> 4 x 16 x 16 with a kernel and stride of 2, batch 1, on 4 x 4. The forward
// pass holds 8 x 4 weights and streams the 256 positions of the output, or, as a GEMM, holds 2 x 16
// and streams the 64 of the input. The input gradient holds 16 x 2 and streams 64, the weight
// gradient holds 64 x 2 and streams 16.
TEST(SystolicArray, MapsTransposedConvolutions) {
  Layer layer = convolution({2, 8, 8}, 4, 2, 2, 0);
  layer.type = LayerType::conv_transpose2d;
  layer.output = network::output_shape(layer, layer.input);
  SystolicArray array = square(4);
  EXPECT_EQ(training_cycles(array, 1e9, layer, 1), (TrainingCycles{2 * 266, 4 * 74, 16 * 26}));
  array.input_gradient = InputGradientMapping::gemm;
  EXPECT_EQ(training_cycles(array, 1e9, layer, 1), (TrainingCycles{4 * 74, 4 * 74, 16 * 26}));
  // Input-stationary, the weight gradient holds 64 x 16 of the output's gradient and streams 2.
  array.weight_gradient_dataflow = Dataflow::input_stationary;
  EXPECT_EQ(training_cycles(array, 1e9, layer, 1).weight_gradient, 16 * 4 * 12);
}

TEST(SystolicArray, TakesNoTimeForLayersWithoutGemm) {
  Layer layer;
  layer.type = LayerType::relu;
  layer.input = layer.output = {64, 224, 224};
  EXPECT_EQ(training_cycles(square(32), 1e9, layer, 32), (TrainingCycles{0, 0, 0}));
}

// 10 ms are 10^7 cycles of 1 GHz, 2.6 ns are 2.6 of them; cycles stay what they are.
TEST(SystolicArray, RoundsMeasuredTimesToTheNearestCycle) {
  Layer layer;
  layer.type = LayerType::measured;
  layer.measured.forward.seconds = 10e-3;
  layer.measured.input_gradient.seconds = 2.6e-9;
  layer.measured.weight_gradient.cycles = 7;
  EXPECT_EQ(training_cycles(square(32), 1e9, layer, 1), (TrainingCycles{10'000'000, 3, 7}));
  EXPECT_EQ(training_cycles(square(32), 2e9, layer, 1), (TrainingCycles{20'000'000, 5, 7}));
}

// 10^14 - 1 vectors through a 1 x 1 array take (2 + 1 + T - 2) cycles.
TEST(SystolicArray, CountsUpTo100TrillionCycles) {
  const auto cycles = [](std::int64_t m) {
    return gemm_cycles(1, 1, Dataflow::weight_stationary, Gemm{m, 1, 1});
  };
  EXPECT_EQ(cycles(99'999'999'999'999), 100'000'000'000'000);
  EXPECT_THROW(static_cast<void>(cycles(100'000'000'000'000)), InfeasibleError);
}

TEST(SystolicArray, RefusesWhatOverflows) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  for (const Gemm& gemm : {Gemm{huge, 1, 1}, Gemm{1, huge, 1}, Gemm{huge, huge, huge}}) {
    for (const Dataflow dataflow : all_dataflows) {
      EXPECT_THROW(static_cast<void>(gemm_cycles(1, 1, dataflow, gemm)), InfeasibleError);
    }
  }
  EXPECT_THROW(
      static_cast<void>(gemm_cycles(huge, huge, Dataflow::weight_stationary, Gemm{1, 1, 1})),
      InfeasibleError);
}

// One group streams 10^9 positions, and 10^6 groups of it take 10^15 cycles.
TEST(SystolicArray, RefusesTooManyGroups) {
  Layer layer = convolution({1, 1, 1'000'000'000}, 1, 1, 1, 0);
  EXPECT_EQ(training_cycles(square(1), 1e9, layer, 1).forward, 1'000'000'001);
  layer.groups = layer.input.channels = layer.output.channels = 1'000'000;
  EXPECT_THROW(static_cast<void>(training_cycles(square(1), 1e9, layer, 1)), InfeasibleError);
}

TEST(SystolicArray, NamesTheLayerThatTakesTooLong) {
  Layer layer;
  layer.name = "slow";
  layer.type = LayerType::measured;
  layer.measured.weight_gradient.seconds = 1e6;
  try {
    static_cast<void>(training_cycles(square(32), 1e9, layer, 1));
    FAIL() << "10^15 cycles were accepted";
  } catch (const InfeasibleError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the weight gradient of layer slow takes more than 10^14"));
  }
}

}  // namespace
}  // namespace layerpipe::array
