#include "workloads/training_gemms.hpp"

#include <gtest/gtest.h>

namespace layerpipe::workloads {
namespace {

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
  EXPECT_EQ(forward_gemm(layer, 3), (Gemm{783, 8 * 5, 7}));
  EXPECT_EQ(input_gradient_gemm(layer, 3, InputGradientMapping::convolution),
            (Gemm{1800, 8 * 7, 5}));
  EXPECT_EQ(input_gradient_gemm(layer, 3, InputGradientMapping::gemm), (Gemm{783, 7, 8 * 5}));
  EXPECT_EQ(weight_gradient_gemm(layer, 3), (Gemm{8 * 5, 783, 7}));
}

// 784 -> 10 features, batch 128: y = x W, dx = dy W^T, dW = x^T dy.
TEST(TrainingGemms, OfALinearLayer) {
  const Layer layer{
      .type = LayerType::linear, .out_channels = 10, .input = {784, 1, 1}, .output = {10, 1, 1}};
  EXPECT_EQ(forward_gemm(layer, 128), (Gemm{128, 784, 10}));
  for (const auto mapping : {InputGradientMapping::convolution, InputGradientMapping::gemm}) {
    EXPECT_EQ(input_gradient_gemm(layer, 128, mapping), (Gemm{128, 10, 784}));
  }
  EXPECT_EQ(weight_gradient_gemm(layer, 128), (Gemm{784, 128, 10}));
}

// The forward pass and the `gemm` input gradient multiply each weight with each output position
// once, and so does the weight gradient.
TEST(TrainingGemms, MultiplyEquallyOften) {
  const auto products = [](const Gemm& gemm) { return gemm.m * gemm.k * gemm.n; };
  const Layer layer = convolution();
  const std::int64_t expected = products(forward_gemm(layer, 3));
  EXPECT_EQ(products(input_gradient_gemm(layer, 3, InputGradientMapping::gemm)), expected);
  EXPECT_EQ(products(weight_gradient_gemm(layer, 3)), expected);
}

}  // namespace
}  // namespace layerpipe::workloads
