#include "workloads/network/layer.hpp"

#include <gtest/gtest.h>

#include "workloads/base/error.hpp"

namespace layerpipe::network {
namespace {

/// VGG16's conv1_2: 64 channels in and out, kernel 3.
Layer conv1_2() {
  return {.type = LayerType::conv2d,
          .window = {.kernel = {3, 3}, .padding = {1, 1}},
          .out_channels = 64,
          .input = {64, 224, 224},
          .output = {64, 224, 224}};
}

TEST(LayerType, HasTheNamesOfTheFormat) {
  EXPECT_EQ(to_string(LayerType::conv2d), "conv2d");
  EXPECT_EQ(to_string(LayerType::adaptive_avgpool2d), "adaptive_avgpool2d");
  EXPECT_EQ(to_string(LayerType::measured), "measured");
  EXPECT_EQ(layer_type_names().size(), 13U);
  EXPECT_EQ(described(LayerType::add), "an add layer");
  EXPECT_EQ(described(LayerType::conv2d), "a conv2d layer");
}

TEST(HasGemm, IsTrueForLayersThatTakeArrayTime) {
  for (const LayerType type :
       {LayerType::conv2d, LayerType::conv_transpose2d, LayerType::linear, LayerType::measured}) {
    EXPECT_TRUE(has_gemm({.type = type})) << to_string(type);
  }
  for (const LayerType type :
       {LayerType::maxpool2d, LayerType::avgpool2d, LayerType::adaptive_avgpool2d, LayerType::relu,
        LayerType::batchnorm2d, LayerType::flatten, LayerType::upsample, LayerType::add,
        LayerType::concat}) {
    EXPECT_FALSE(has_gemm({.type = type})) << to_string(type);
  }
}

TEST(ParameterCount, OfConvolutions) {
  Layer layer = conv1_2();
  EXPECT_EQ(weight_elements(layer), 3 * 3 * 64 * 64);
  EXPECT_EQ(parameter_count(layer), 3 * 3 * 64 * 64 + 64);
  layer.bias = false;
  EXPECT_EQ(parameter_count(layer), 3 * 3 * 64 * 64);
  layer.window.kernel = {1, 7};
  EXPECT_EQ(weight_elements(layer), 7 * 64 * 64);
}

// torch.nn.Conv2d: weights of (out_channels, in_channels / groups, kernel height, kernel width).
TEST(ParameterCount, OfGroupedConvolutions) {
  Layer layer = conv1_2();
  layer.groups = 32;
  EXPECT_EQ(weight_elements(layer), 64 * 2 * 3 * 3);
  EXPECT_EQ(parameter_count(layer), 64 * 2 * 3 * 3 + 64);
  layer.groups = 64;
  EXPECT_EQ(weight_elements(layer), 64 * 3 * 3);
}

// torch.nn.ConvTranspose2d: weights of (in_channels, out_channels / groups, kernel height, kernel
// width), and a bias for each output channel.
TEST(ParameterCount, OfTransposedConvolutions) {
  Layer layer{.type = LayerType::conv_transpose2d,
              .window = {.kernel = {2, 3}},
              .out_channels = 32,
              .input = {64, 7, 7}};
  EXPECT_EQ(parameter_count(layer), 64 * 32 * 2 * 3 + 32);
  layer.groups = 16;
  EXPECT_EQ(parameter_count(layer), 64 * 2 * 2 * 3 + 32);
}

TEST(ParameterCount, OfLinearLayers) {
  const Layer layer{.type = LayerType::linear, .out_channels = 1000, .input = {4096, 1, 1}};
  EXPECT_EQ(weight_elements(layer), 4'096'000);
  EXPECT_EQ(parameter_count(layer), 4'097'000);
}

TEST(ParameterCount, OfBatchnormIsScaleAndShift) {
  const Layer layer{.type = LayerType::batchnorm2d, .input = {64, 7, 7}};
  EXPECT_EQ(weight_elements(layer), 0);
  EXPECT_EQ(parameter_count(layer), 128);
}

TEST(ParameterCount, OfLayersWithoutParametersIsZero) {
  for (const LayerType type : {LayerType::relu, LayerType::maxpool2d, LayerType::flatten}) {
    EXPECT_EQ(parameter_count({.type = type, .input = {64, 7, 7}}), 0) << to_string(type);
  }
}

TEST(ParameterCount, RefusesWhatCannotBeCounted) {
  const Layer layer{
      .type = LayerType::linear, .out_channels = 1'000'000'000, .input = {1'000'000'000, 1, 1}};
  EXPECT_THROW((void)parameter_count(layer), InputError);
}

}  // namespace
}  // namespace layerpipe::network
