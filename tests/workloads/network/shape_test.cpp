#include "workloads/network/shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/base/error.hpp"

namespace layerpipe::network {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Layer conv2d(std::int64_t out_channels, const Window& window) {
  return {.type = LayerType::conv2d, .window = window, .out_channels = out_channels};
}

// The examples of PyTorch's documentation of Conv2d, for an input of 16 x 50 x 100.
TEST(OutputShape, OfConvolutionsIsPyTorchs) {
  const Shape input{16, 50, 100};
  EXPECT_EQ(output_shape(conv2d(33, {.kernel = {3, 3}, .stride = {2, 2}}), input),
            (Shape{33, 24, 49}));
  Window window{.kernel = {3, 5}, .stride = {2, 1}, .padding = {4, 2}};
  EXPECT_EQ(output_shape(conv2d(33, window), input), (Shape{33, 28, 100}));
  window.dilation = {3, 1};
  EXPECT_EQ(output_shape(conv2d(33, window), input), (Shape{33, 26, 100}));
}

Layer conv_transpose2d(std::int64_t out_channels, const Window& window,
                       const Extent& output_padding = {0, 0}) {
  return {.type = LayerType::conv_transpose2d,
          .window = window,
          .output_padding = output_padding,
          .out_channels = out_channels};
}

// The examples of PyTorch's documentation of ConvTranspose2d, for an input of 16 x 50 x 100, with
// its formula: (50 - 1) 2 + 2 + 1 = 101, (100 - 1) 2 + 2 + 1 = 201; (50 - 1) 2 - 8 + 2 + 1 = 93,
// (100 - 1) 1 - 4 + 4 + 1 = 100.
TEST(OutputShape, OfTransposedConvolutionsIsPyTorchs) {
  const Shape input{16, 50, 100};
  EXPECT_EQ(output_shape(conv_transpose2d(33, {.kernel = {3, 3}, .stride = {2, 2}}), input),
            (Shape{33, 101, 201}));
  const Window window{.kernel = {3, 5}, .stride = {2, 1}, .padding = {4, 2}};
  EXPECT_EQ(output_shape(conv_transpose2d(33, window), input), (Shape{33, 93, 100}));
  // With dilation 3 x 2 and output padding 1 x 0: 98 - 8 + 3 * 2 + 1 + 1, 99 - 4 + 2 * 4 + 0 + 1.
  Window dilated = window;
  dilated.dilation = {3, 2};
  EXPECT_EQ(output_shape(conv_transpose2d(33, dilated, {1, 0}), input), (Shape{33, 98, 104}));
}

// The same documentation: a conv2d of 12 x 12 with stride 2 gives 6 x 6, and back with an output
// padding of 1.
TEST(OutputShape, OfATransposedConvolutionUndoesThatOfAConvolution) {
  const Window window{.kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 1}};
  EXPECT_EQ(output_shape(conv2d(16, window), {16, 12, 12}), (Shape{16, 6, 6}));
  EXPECT_EQ(output_shape(conv_transpose2d(16, window, {1, 1}), {16, 6, 6}), (Shape{16, 12, 12}));
}

TEST(OutputShape, RefusesTransposedConvolutionsWithoutOutput) {
  EXPECT_THAT(
      [] {
        (void)output_shape(conv_transpose2d(1, {.kernel = {3, 3}, .padding = {4, 3}}), {1, 4, 9});
      },
      ThrowsMessage<InputError>(
          "the output is -2 x 5 (expected at least 1 x 1; use less padding)"));
  EXPECT_THAT(
      [] {
        (void)output_shape(conv_transpose2d(1, {.stride = {1'000'000'000, 1}}),
                           {1, 1'000'000'000'000'000, 1});
      },
      ThrowsMessage<InputError>(HasSubstr("side of the output too large")));
}

// torch.nn.Conv2d: "in_channels must be divisible by groups".
TEST(OutputShape, RefusesInputChannelsThatGroupsDoNotDivide) {
  for (const LayerType type : {LayerType::conv2d, LayerType::conv_transpose2d}) {
    const Layer layer{.type = type, .groups = 3, .out_channels = 6};
    EXPECT_EQ(output_shape(layer, {9, 4, 5}), (Shape{6, 4, 5}));
    EXPECT_THAT(
        [&] {
          (void)output_shape(layer, {64, 4, 5});
        },
        ThrowsMessage<InputError>("64 input channels in 3 groups (expected groups of equal size)"));
  }
}

// The examples of PyTorch's documentation of MaxPool2d and AvgPool2d, for an input of 16 x 50 x 32.
TEST(OutputShape, OfPoolingIsPyTorchs) {
  const Shape input{16, 50, 32};
  for (const LayerType type : {LayerType::maxpool2d, LayerType::avgpool2d}) {
    EXPECT_EQ(output_shape({.type = type, .window = {.kernel = {3, 3}, .stride = {2, 2}}}, input),
              (Shape{16, 24, 15}));
    EXPECT_EQ(output_shape({.type = type, .window = {.kernel = {3, 2}, .stride = {2, 1}}}, input),
              (Shape{16, 24, 31}));
  }
  EXPECT_EQ(output_shape({.type = LayerType::adaptive_avgpool2d, .output_size = {5, 7}}, input),
            (Shape{16, 5, 7}));
}

TEST(OutputShape, RoundsDown) {
  // (8 + 2 - 2 - 1) / 2 + 1 = 4.5, likewise for the width of 7: 4.
  const Window window{.kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 1}};
  EXPECT_EQ(output_shape(conv2d(1, window), {1, 8, 7}), (Shape{1, 4, 4}));
}

TEST(OutputShape, OfWindowsThatJustFitIsOne) {
  EXPECT_EQ(output_shape(conv2d(2, {.kernel = {5, 7}}), {1, 5, 7}), (Shape{2, 1, 1}));
}

TEST(OutputShape, OfLayersThatKeepOrFlattenElements) {
  const Shape image{256, 6, 6};
  EXPECT_EQ(output_shape({.type = LayerType::relu}, image), image);
  EXPECT_EQ(output_shape({.type = LayerType::batchnorm2d}, image), image);
  EXPECT_EQ(output_shape({.type = LayerType::flatten}, image), (Shape{9216, 1, 1}));
  EXPECT_EQ(output_shape({.type = LayerType::linear, .out_channels = 10}, {9216, 1, 1}),
            (Shape{10, 1, 1}));
}

// torch.nn.Upsample: H_out = floor(H_in * scale_factor).
TEST(OutputShape, OfUpsamplingIsPyTorchs) {
  EXPECT_EQ(output_shape({.type = LayerType::upsample, .scale = {2, 3}}, {16, 5, 7}),
            (Shape{16, 10, 21}));
  EXPECT_THAT(
      [] {
        (void)output_shape({.type = LayerType::upsample, .scale = {1, 1'000'000'000}},
                           {1, 1, 10'000'000});
      },
      ThrowsMessage<InputError>(HasSubstr("width of the output too large")));
}

TEST(OutputShape, OfJoinedInputsIsTheirs) {
  const Shape joined{256, 6, 7};
  EXPECT_EQ(output_shape({.type = LayerType::add}, joined), joined);
  EXPECT_EQ(output_shape({.type = LayerType::concat}, joined), joined);
}

TEST(OutputShape, RefusesWindowsThatDoNotFit) {
  EXPECT_THAT(
      [] {
        (void)output_shape(conv2d(1, {.kernel = {3, 3}, .dilation = {2, 2}}), {1, 4, 9});
      },
      ThrowsMessage<InputError>(
          "a window of 5 x 5 does not fit (expected at most the padded input of 4 x 9)"));
  // floor(-1 / 2) + 1 = 0 positions: integer division would have made one of it.
  EXPECT_THROW((void)output_shape(conv2d(1, {.kernel = {3, 3}, .stride = {2, 2}}), {1, 2, 2}),
               InputError);
}

TEST(OutputShape, RefusesLinearLayersOnImages) {
  EXPECT_THAT(
      [] {
        (void)output_shape({.type = LayerType::linear, .out_channels = 10}, {256, 6, 6});
      },
      ThrowsMessage<InputError>("a linear layer gets an image of 256 x 6 x 6 (expected "
                                "features; add a flatten layer before it)"));
}

TEST(OutputShape, RefusesWhatCannotBeCounted) {
  const Layer layer{.type = LayerType::adaptive_avgpool2d,
                    .output_size = {1'000'000'000, 9'007'200}};
  EXPECT_THAT(
      [&] {
        (void)output_shape(layer, {1, 1, 1});
      },
      ThrowsMessage<InputError>(HasSubstr("number of elements of the output too large")));
}

}  // namespace
}  // namespace layerpipe::network
