#include "workloads/network/training_gemms.hpp"

#include <gtest/gtest.h>

#include <random>

#include "workloads/network/shape.hpp"

namespace layerpipe::network {
namespace {

constexpr InputGradientMapping by_convolution = InputGradientMapping::convolution;
constexpr InputGradientMapping by_gemm = InputGradientMapping::gemm;

std::int64_t products(const Gemm& gemm) { return gemm.m * gemm.k * gemm.n; }

/// A layer in which every dimension differs: 5 x 20 x 30 -> 7 x 9 x 29, kernel 4 x 2.
Layer convolution() {
  return {.type = LayerType::conv2d,
          .window = {.kernel = {4, 2}, .stride = {2, 1}},
          .out_channels = 7,
          .input = {5, 20, 30},
          .output = {7, 9, 29}};
}

// Po = 3 * 9 * 29 = 783, Pi = 3 * 20 * 30 = 1800, kernel elements 4 * 2 = 8.
TEST(TrainingGemms, OfAConvolution) {
  const Layer layer = convolution();
  for (const InputGradientMapping mapping : {by_convolution, by_gemm}) {
    EXPECT_EQ(forward_gemm(layer, 3, mapping), (Gemm{783, 8 * 5, 7}));
  }
  EXPECT_EQ(input_gradient_gemm(layer, 3, by_convolution), (Gemm{1800, 8 * 7, 5}));
  EXPECT_EQ(input_gradient_gemm(layer, 3, by_gemm), (Gemm{783, 7, 8 * 5}));
  EXPECT_EQ(weight_gradient_gemm(layer, 3), (Gemm{8 * 5, 783, 7}));
}

// 6 x 20 x 30 -> 8 x 9 x 29 in two groups of 3 and 4 channels, each a convolution of its own.
TEST(TrainingGemms, OfOneGroup) {
  Layer layer = convolution();
  layer.groups = 2;
  layer.input.channels = 6;
  layer.output.channels = layer.out_channels = 8;
  EXPECT_EQ(forward_gemm(layer, 3, by_convolution), (Gemm{783, 8 * 3, 4}));
  EXPECT_EQ(input_gradient_gemm(layer, 3, by_convolution), (Gemm{1800, 8 * 4, 3}));
  EXPECT_EQ(input_gradient_gemm(layer, 3, by_gemm), (Gemm{783, 4, 8 * 3}));
  EXPECT_EQ(weight_gradient_gemm(layer, 3), (Gemm{8 * 3, 783, 4}));
}

TEST(TrainingGemms, OfADepthwiseConvolution) {
  Layer layer = convolution();
  layer.groups = layer.out_channels = layer.output.channels = 5;
  EXPECT_EQ(forward_gemm(layer, 3, by_convolution), (Gemm{783, 8, 1}));
  EXPECT_EQ(input_gradient_gemm(layer, 3, by_convolution), (Gemm{1800, 8, 1}));
  EXPECT_EQ(input_gradient_gemm(layer, 3, by_gemm), (Gemm{783, 1, 8}));
  EXPECT_EQ(weight_gradient_gemm(layer, 3), (Gemm{8, 783, 1}));
}

/// 7 x 9 x 29 -> 5 x 20 x 30, kernel 4 x 2: (9 - 1) 2 + 4 = 20, (29 - 1) 1 + 2 = 30.
Layer transposed_convolution() {
  return {.type = LayerType::conv_transpose2d,
          .window = {.kernel = {4, 2}, .stride = {2, 1}},
          .out_channels = 5,
          .input = {7, 9, 29},
          .output = {5, 20, 30}};
}

// Pi = 3 * 9 * 29 = 783, Po = 3 * 20 * 30 = 1800. As a GEMM over the input's positions the forward
// pass makes a 4 x 2 window of 5 channels from the 7 channels of each, and adds them up outside.
TEST(TrainingGemms, OfATransposedConvolution) {
  const Layer layer = transposed_convolution();
  EXPECT_EQ(forward_gemm(layer, 3, by_convolution), (Gemm{1800, 8 * 7, 5}));
  EXPECT_EQ(forward_gemm(layer, 3, by_gemm), (Gemm{783, 7, 8 * 5}));
  for (const InputGradientMapping mapping : {by_convolution, by_gemm}) {
    EXPECT_EQ(input_gradient_gemm(layer, 3, mapping), (Gemm{783, 8 * 5, 7}));
  }
  EXPECT_EQ(weight_gradient_gemm(layer, 3), (Gemm{8 * 5, 783, 7}));
}

/// Up to 3 everywhere, padding and output padding within PyTorch's limits.
Layer random_transposed_convolution(std::mt19937& random) {
  const auto between = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  const auto extent = [&] { return Extent{between(1, 3), between(1, 3)}; };
  Layer layer{.type = LayerType::conv_transpose2d};
  layer.window = {.kernel = extent(), .stride = extent(), .dilation = extent()};
  layer.window.padding = {between(0, layer.window.kernel.height - 1),
                          between(0, layer.window.kernel.width - 1)};
  layer.output_padding = {between(0, layer.window.stride.height - 1),
                          between(0, layer.window.stride.width - 1)};
  layer.groups = between(1, 3);
  layer.out_channels = layer.groups * between(1, 3);
  layer.input = {layer.groups * between(1, 3), between(3, 9), between(3, 9)};
  layer.output = output_shape(layer, layer.input);
  return layer;
}

// torch.nn.ConvTranspose2d is "the gradient of Conv2d with respect to its input": of the conv2d of
// the same window that makes the layer's input's shape from that of its output.
TEST(TrainingGemms, OfATransposedConvolutionAreThoseOfItsAdjoint) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const Layer layer = random_transposed_convolution(random);
    Layer adjoint = layer;
    adjoint.type = LayerType::conv2d;
    adjoint.out_channels = layer.input.channels;
    adjoint.input = layer.output;
    adjoint.output = output_shape(adjoint, adjoint.input);
    ASSERT_EQ(adjoint.output, layer.input) << i;
    EXPECT_EQ(weight_elements(adjoint), weight_elements(layer)) << i;
    for (const InputGradientMapping mapping : {by_convolution, by_gemm}) {
      EXPECT_EQ(forward_gemm(layer, 2, mapping), input_gradient_gemm(adjoint, 2, mapping)) << i;
      EXPECT_EQ(input_gradient_gemm(layer, 2, mapping), forward_gemm(adjoint, 2, mapping)) << i;
    }
    EXPECT_EQ(weight_gradient_gemm(layer, 2), weight_gradient_gemm(adjoint, 2)) << i;
  }
}

// 784 -> 10 features, batch 128: y = x W, dx = dy W^T, dW = x^T dy.
TEST(TrainingGemms, OfALinearLayer) {
  const Layer layer{
      .type = LayerType::linear, .out_channels = 10, .input = {784, 1, 1}, .output = {10, 1, 1}};
  for (const InputGradientMapping mapping : {by_convolution, by_gemm}) {
    EXPECT_EQ(forward_gemm(layer, 128, mapping), (Gemm{128, 784, 10}));
    EXPECT_EQ(input_gradient_gemm(layer, 128, mapping), (Gemm{128, 10, 784}));
  }
  EXPECT_EQ(weight_gradient_gemm(layer, 128), (Gemm{784, 128, 10}));
}

// The forward pass and the `gemm` input gradient multiply each weight with each output position
// once, and so does the weight gradient.
TEST(TrainingGemms, MultiplyEquallyOften) {
  const Layer layer = convolution();
  const std::int64_t expected = products(forward_gemm(layer, 3, by_convolution));
  EXPECT_EQ(products(input_gradient_gemm(layer, 3, by_gemm)), expected);
  EXPECT_EQ(products(weight_gradient_gemm(layer, 3)), expected);
}

}  // namespace
}  // namespace layerpipe::network
