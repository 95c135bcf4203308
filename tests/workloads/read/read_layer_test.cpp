#include "workloads/read/read_layer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/base/error.hpp"

namespace layerpipe::read {
namespace {

using namespace base;
using namespace network;

using testing::ThrowsMessage;

Layer layer_of(const std::string& text) {
  const YamlDocument document(text, "f");
  return read_layer(YamlValue(document));
}

void expect_refused(const std::string& text, const std::string& message) {
  EXPECT_THAT([&] { (void)layer_of(text); }, ThrowsMessage<InputError>(message)) << text;
}

// Defaults: torch.nn.Conv2d(stride=1, padding=0, dilation=1, bias=True).
TEST(ReadLayer, ReadsConvolutions) {
  const Layer brief = layer_of("{type: conv2d, out_channels: 64, kernel_size: 3}");
  EXPECT_EQ(brief.type, LayerType::conv2d);
  EXPECT_EQ(brief.name, "");
  EXPECT_EQ(brief.out_channels, 64);
  EXPECT_TRUE(brief.bias);
  EXPECT_EQ(brief.groups, 1);
  EXPECT_EQ(brief.window, (Window{{3, 3}, {1, 1}, {0, 0}, {1, 1}}));

  const Layer full = layer_of(
      "{name: c, type: conv2d, out_channels: 1, kernel_size: [1, 7], stride: [2, 3], "
      "padding: [0, 3], dilation: [4, 5], groups: 1, bias: false}");
  EXPECT_EQ(full.name, "c");
  EXPECT_FALSE(full.bias);
  EXPECT_EQ(full.window, (Window{{1, 7}, {2, 3}, {0, 3}, {4, 5}}));
}

TEST(ReadLayer, ReadsGroups) {
  EXPECT_EQ(layer_of("{type: conv2d, out_channels: 64, kernel_size: 3, groups: 32}").groups, 32);
  const std::string expected = " (expected groups of equal size)";
  expect_refused("{type: conv2d, out_channels: 64, kernel_size: 3, groups: 3}",
                 "f:1:58: groups: 64 output channels in 3 groups" + expected);
  expect_refused("{type: conv_transpose2d, out_channels: 1, kernel_size: 3, groups: 2}",
                 "f:1:67: groups: 1 output channels in 2 groups" + expected);
  expect_refused("{type: conv2d, out_channels: 64, kernel_size: 3, groups: 0}",
                 "f:1:58: groups: '0' is out of range (expected 1 to 1,000,000,000)");
}

// Defaults: torch.nn.ConvTranspose2d(stride=1, padding=0, output_padding=0, groups=1, bias=True,
// dilation=1).
TEST(ReadLayer, ReadsTransposedConvolutions) {
  const Layer brief = layer_of("{type: conv_transpose2d, out_channels: 64, kernel_size: 3}");
  EXPECT_EQ(brief.type, LayerType::conv_transpose2d);
  EXPECT_EQ(brief.out_channels, 64);
  EXPECT_TRUE(brief.bias);
  EXPECT_EQ(brief.groups, 1);
  EXPECT_EQ(brief.output_padding, (Extent{0, 0}));
  EXPECT_EQ(brief.window, (Window{{3, 3}, {1, 1}, {0, 0}, {1, 1}}));

  const Layer full = layer_of(
      "{type: conv_transpose2d, out_channels: 4, kernel_size: [1, 7], stride: [2, 3], "
      "padding: [0, 3], output_padding: [1, 2], dilation: [4, 5], groups: 2, bias: false}");
  EXPECT_FALSE(full.bias);
  EXPECT_EQ(full.groups, 2);
  EXPECT_EQ(full.output_padding, (Extent{1, 2}));
  EXPECT_EQ(full.window, (Window{{1, 7}, {2, 3}, {0, 3}, {4, 5}}));
}

// torch.nn.functional.conv_transpose2d: "output padding must be smaller than either stride or
// dilation".
TEST(ReadLayer, RefusesTooMuchOutputPadding) {
  const auto layer = [](const std::string& more) {
    return "{type: conv_transpose2d, out_channels: 1, kernel_size: 3, " + more + "}";
  };
  EXPECT_NO_THROW((void)layer_of(layer("stride: 2, output_padding: 1")));
  EXPECT_NO_THROW((void)layer_of(layer("dilation: 2, output_padding: 1")));
  const std::string message =
      ": output_padding is too large (expected less than stride or dilation)";
  expect_refused(layer("output_padding: 1"), "f:1:75" + message);
  expect_refused(layer("stride: [3, 2], output_padding: 2"), "f:1:91" + message);
  expect_refused(layer("stride: [2, 3], dilation: [1, 1], output_padding: [2, 2]"),
                 "f:1:109" + message);
}

// Defaults: torch.nn.MaxPool2d(stride=kernel_size, padding=0, dilation=1).
TEST(ReadLayer, ReadsPooling) {
  EXPECT_EQ(layer_of("{type: maxpool2d, kernel_size: [2, 3]}").window,
            (Window{{2, 3}, {2, 3}, {0, 0}, {1, 1}}));
  EXPECT_EQ(
      layer_of("{type: maxpool2d, kernel_size: 3, stride: 2, padding: 1, dilation: 2}").window,
      (Window{{3, 3}, {2, 2}, {1, 1}, {2, 2}}));
  EXPECT_EQ(layer_of("{type: avgpool2d, kernel_size: 2}").window,
            (Window{{2, 2}, {2, 2}, {0, 0}, {1, 1}}));
  EXPECT_EQ(layer_of("{type: adaptive_avgpool2d, output_size: [6, 7]}").output_size,
            (Extent{6, 7}));
}

TEST(ReadLayer, ReadsLinearLayers) {
  const Layer layer = layer_of("{type: linear, out_features: 10, bias: false}");
  EXPECT_EQ(layer.type, LayerType::linear);
  EXPECT_EQ(layer.out_channels, 10);
  EXPECT_FALSE(layer.bias);
  EXPECT_TRUE(layer_of("{type: linear, out_features: 10}").bias);
}

TEST(ReadLayer, ReadsLayersWithoutParameters) {
  EXPECT_EQ(layer_of("{type: relu}").type, LayerType::relu);
  EXPECT_EQ(layer_of("{type: batchnorm2d}").type, LayerType::batchnorm2d);
  EXPECT_EQ(layer_of("{type: flatten, name: 'x'}").name, "x");
}

// Default: torch.nn.Upsample(mode='nearest').
TEST(ReadLayer, ReadsUpsampling) {
  const Layer brief = layer_of("{type: upsample, scale_factor: 2}");
  EXPECT_EQ(brief.scale, (Extent{2, 2}));
  EXPECT_EQ(brief.mode, UpsampleMode::nearest);
  const Layer full = layer_of("{type: upsample, scale_factor: [3, 1], mode: bilinear}");
  EXPECT_EQ(full.scale, (Extent{3, 1}));
  EXPECT_EQ(full.mode, UpsampleMode::bilinear);
  EXPECT_EQ(layer_of("{type: upsample, scale_factor: 2, mode: nearest}").mode,
            UpsampleMode::nearest);

  expect_refused("{type: upsample, scale_factor: 1.5}",
                 "f:1:32: scale_factor: '1.5' is not a whole number (expected 1 to 1,000,000,000)");
  expect_refused("{type: upsample, scale_factor: 2, mode: bicubic}",
                 "f:1:41: mode: unknown mode 'bicubic' (expected nearest or bilinear)");
}

TEST(ReadLayer, ReadsLayersThatJoin) {
  EXPECT_EQ(layer_of("{type: add, inputs: [a, b]}").type, LayerType::add);
  EXPECT_EQ(layer_of("{type: concat, inputs: [a, b]}").type, LayerType::concat);
}

TEST(ReadLayer, ReadsMeasuredLayers) {
  const MeasuredCosts costs =
      layer_of(
          "{name: a, type: measured, forward: 10 ms, input_gradient: 500 cycles, "
          "weight_gradient: 0, activation: 4 MB, weight: 0}")
          .measured;
  EXPECT_EQ(costs.forward, (Duration{0, 0.010}));
  EXPECT_EQ(costs.input_gradient, (Duration{500, 0.0}));
  EXPECT_EQ(costs.weight_gradient, Duration{});
  EXPECT_EQ(costs.activation_bytes, 4'000'000);
  EXPECT_EQ(costs.weight_bytes, 0);
}

TEST(ReadLayer, RefusesUnknownTypes) {
  expect_refused("{type: conv2D}", "f:1:8: unknown layer type 'conv2D' (nearest: conv2d)");
  expect_refused("{type: maxpool}", "f:1:8: unknown layer type 'maxpool' (nearest: maxpool2d)");
  expect_refused("{type: dropout}",
                 "f:1:8: unknown layer type 'dropout' (expected conv2d, conv_transpose2d, linear, "
                 "maxpool2d, avgpool2d, adaptive_avgpool2d, upsample, relu, batchnorm2d, flatten, "
                 "add, concat or measured)");
  expect_refused("{name: a}", "f:1:1: missing key 'type' (expected in a layer)");
  expect_refused("relu", "f:1:1: a layer is unquoted text (expected a mapping of keys to values)");
  expect_refused("{type: [relu]}", "f:1:8: type is a list (expected a word)");
}

TEST(ReadLayer, RefusesKeysThatTheTypeDoesNotHave) {
  expect_refused("{type: conv2d, out_channels: 1, kernal_size: 3}",
                 "f:1:33: unknown key 'kernal_size' (nearest: kernel_size)");
  expect_refused("{type: avgpool2d, kernel_size: 3, dilation: 1}",
                 "f:1:35: unknown key 'dilation' (expected name, type, inputs, kernel_size, "
                 "stride or padding)");
  expect_refused(
      "{type: linear, out_features: 1, padding: 1}",
      "f:1:33: unknown key 'padding' (expected name, type, inputs, out_features or bias)");
  expect_refused("{type: relu, bias: true}",
                 "f:1:14: unknown key 'bias' (expected name, type or inputs)");
}

TEST(ReadLayer, RefusesMissingKeys) {
  expect_refused("{type: conv2d, kernel_size: 3}",
                 "f:1:1: missing key 'out_channels' (expected in a layer of type conv2d)");
  expect_refused("{type: maxpool2d}",
                 "f:1:1: missing key 'kernel_size' (expected in a layer of type maxpool2d)");
  expect_refused("{type: linear}",
                 "f:1:1: missing key 'out_features' (expected in a layer of type linear)");
  expect_refused("{type: adaptive_avgpool2d}",
                 "f:1:1: missing key 'output_size' (expected in a layer of type "
                 "adaptive_avgpool2d)");
  expect_refused(
      "{type: measured, forward: 1 ms, input_gradient: 1 ms, weight_gradient: 1 ms, "
      "activation: 1 B}",
      "f:1:1: missing key 'weight' (expected in a layer of type measured)");
}

TEST(ReadLayer, RefusesValuesOutOfRange) {
  const auto conv_with = [](const std::string& key_and_value) {
    return "{type: conv2d, " + key_and_value + "}";
  };
  const std::string at_least_one = " (expected 1 to 1,000,000,000)";
  expect_refused(conv_with("out_channels: 0"),
                 "f:1:30: out_channels: '0' is out of range" + at_least_one);
  expect_refused(conv_with("out_channels: 1, kernel_size: 0"),
                 "f:1:46: kernel_size: '0' is out of range" + at_least_one);
  expect_refused(conv_with("out_channels: 1, kernel_size: 3, stride: [1, 0]"),
                 "f:1:61: stride: '0' is out of range" + at_least_one);
  expect_refused(conv_with("out_channels: 1, kernel_size: 3, dilation: 0"),
                 "f:1:59: dilation: '0' is out of range" + at_least_one);
  expect_refused(conv_with("out_channels: 1, kernel_size: 3, padding: same"),
                 "f:1:58: padding: 'same' is not a whole number (expected 0 to 1,000,000,000)");
}

TEST(ReadLayer, RefusesListsThatAreNoPair) {
  expect_refused("{type: maxpool2d, kernel_size: [1, 2, 3]}",
                 "f:1:32: kernel_size is a list of 3 (expected one number or [height, width])");
  expect_refused("{type: maxpool2d, kernel_size: []}",
                 "f:1:32: kernel_size is a list of 0 (expected one number or [height, width])");
  expect_refused("{type: maxpool2d, kernel_size: [[1], 2]}",
                 "f:1:33: kernel_size is a list (expected a whole number)");
}

// torch.nn.functional.max_pool2d: "pad should be at most half of effective kernel size".
TEST(ReadLayer, RefusesPoolingWithTooMuchPadding) {
  EXPECT_NO_THROW((void)layer_of("{type: maxpool2d, kernel_size: 3, padding: 1}"));
  expect_refused("{type: maxpool2d, kernel_size: 3, padding: 2}",
                 "f:1:44: padding is too large (expected at most half of kernel_size)");
  expect_refused("{type: avgpool2d, kernel_size: [4, 2], padding: [1, 2]}",
                 "f:1:49: padding is too large (expected at most half of kernel_size)");
}

TEST(ReadLayer, RefusesMeasuredCostsWithoutUnit) {
  expect_refused(
      "{type: measured, forward: 10, input_gradient: 1 ms, weight_gradient: 1 ms, "
      "activation: 1 B, weight: 1 B}",
      "f:1:27: forward: '10' has no unit (expected a duration such as 10 ms; units: ns, "
      "us, ms, s or cycles)");
  expect_refused(
      "{type: measured, forward: 1 ms, input_gradient: 1 ms, weight_gradient: 1 ms, "
      "activation: 0.3 B, weight: 1 B}",
      "f:1:90: activation: '0.3 B' is not a whole number of bytes (expected a size such "
      "as 4 MB; units: B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB or PiB)");
}

}  // namespace
}  // namespace layerpipe::read
