#include "workloads/network/infer_shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace layerpipe::network {
namespace {

const Layer convolution{.type = LayerType::conv2d, .window = {.kernel = {3, 3}}, .out_channels = 8};
const Layer pooling{.type = LayerType::maxpool2d, .window = {.kernel = {2, 2}, .stride = {2, 2}}};
const Layer flatten{.type = LayerType::flatten};
const Layer linear{.type = LayerType::linear, .out_channels = 10};

/// A chain.
Network network_of(std::vector<Layer> layers, const Shape& input) {
  Network network;
  network.input = input;
  network.layers = std::move(layers);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    network.layers[i].inputs = {i == 0 ? Layer::network_input : i - 1};
  }
  return network;
}

TEST(InferShapes, GivesEachLayerTheOutputOfTheOneBefore) {
  Network network = network_of({convolution, pooling, flatten, linear}, {3, 10, 12});
  EXPECT_EQ(infer_shapes(network, InputKind::image), std::nullopt);
  const std::vector<Shape> expected{{8, 8, 10}, {8, 4, 5}, {160, 1, 1}, {10, 1, 1}};
  Shape input{3, 10, 12};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(network.layers[i].input, input) << i;
    EXPECT_EQ(network.layers[i].output, expected[i]) << i;
    input = expected[i];
  }
}

TEST(InferShapes, StopsAtALayerThatDoesNotFit) {
  Network network = network_of({convolution, linear}, {3, 10, 12});
  EXPECT_EQ(infer_shapes(network, InputKind::image),
            (LayerProblem{1,
                          "a linear layer gets an image of 8 x 8 x 10 (expected features; add a "
                          "flatten layer before it)"}));
}

TEST(InferShapes, RefusesTwoDimensionalLayersOnFeatures) {
  const Layer pointwise{.type = LayerType::conv2d, .out_channels = 8};
  Network network = network_of({pointwise}, {784, 1, 1});
  EXPECT_EQ(infer_shapes(network, InputKind::features),
            (LayerProblem{0, "a conv2d layer gets 784 features (expected an image)"}));
  EXPECT_EQ(infer_shapes(network, InputKind::image), std::nullopt);

  network = network_of({flatten, {.type = LayerType::batchnorm2d}}, {3, 2, 2});
  EXPECT_EQ(infer_shapes(network, InputKind::image),
            (LayerProblem{1, "a batchnorm2d layer gets 12 features (expected an image)"}));
}

Layer joining(LayerType type, std::vector<std::size_t> inputs) {
  return {.type = type, .inputs = std::move(inputs)};
}

/// Two branches of 8 x 8 x 10 and 8 x 4 x 5 behind a convolution of 3 x 10 x 12, and `last`.
Network fork_with(Layer last) {
  Network network = network_of({convolution, pooling}, {3, 10, 12});
  network.layers[0].name = "large";
  network.layers[1].name = "small";
  network.layers.push_back(std::move(last));
  return network;
}

TEST(InferShapes, AddsInputsOfOneShape) {
  Network network = fork_with(joining(LayerType::add, {1, 1, 1}));
  EXPECT_EQ(infer_shapes(network, InputKind::image), std::nullopt);
  EXPECT_EQ(network.layers[2].input, (Shape{8, 4, 5}));
  EXPECT_EQ(network.layers[2].output, (Shape{8, 4, 5}));
}

// The network's input has 3 channels, and the convolution makes 8 of the same size from it.
TEST(InferShapes, ConcatenatesChannels) {
  Layer same = convolution;
  same.window.padding = {1, 1};
  Network network = network_of({same, {.type = LayerType::concat}, pooling}, {3, 10, 12});
  network.layers[1].inputs = {0, Layer::network_input, 0};
  EXPECT_EQ(infer_shapes(network, InputKind::image), std::nullopt);
  EXPECT_EQ(network.layers[1].input, (Shape{8 + 3 + 8, 10, 12}));
  EXPECT_EQ(network.layers[1].output, (Shape{8 + 3 + 8, 10, 12}));
  EXPECT_EQ(network.layers[2].output, (Shape{8 + 3 + 8, 5, 6}));
}

TEST(InferShapes, JoinsFeatures) {
  Network network =
      network_of({linear, {.type = LayerType::concat}, {.type = LayerType::add}}, {784, 1, 1});
  network.layers[1].inputs = {0, Layer::network_input};
  network.layers[2].inputs = {1, 1};
  EXPECT_EQ(infer_shapes(network, InputKind::features), std::nullopt);
  EXPECT_EQ(network.layers[2].output, (Shape{794, 1, 1}));
}

TEST(InferShapes, RefusesInputsThatDoNotFitTogether) {
  Network network = fork_with(joining(LayerType::add, {0, 1}));
  EXPECT_EQ(infer_shapes(network, InputKind::image),
            (LayerProblem{2,
                          "an add layer gets an image of 8 x 8 x 10 from 'large' and an image of "
                          "8 x 4 x 5 from 'small' (expected inputs of one shape)"}));
  network = fork_with(joining(LayerType::concat, {0, 0, Layer::network_input}));
  EXPECT_EQ(infer_shapes(network, InputKind::image),
            (LayerProblem{2,
                          "a concat layer gets an image of 8 x 8 x 10 from 'large' and an image of "
                          "3 x 10 x 12 from the network's input (expected features, or images of "
                          "one height and width)"}));
}

// 8 features are no image of 8 x 1 x 1: PyTorch's tensors have two dimensions and four.
TEST(InferShapes, RefusesAnImageBesideFeatures) {
  for (const LayerType type : {LayerType::add, LayerType::concat}) {
    Network network = network_of({flatten, {.type = type}}, {8, 1, 1});
    network.layers[1].inputs = {0, Layer::network_input};
    const auto problem = infer_shapes(network, InputKind::image);
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->layer, 1U);
    EXPECT_THAT(problem->message,
                testing::HasSubstr("gets 8 features from '' and an image of 8 x 1 x 1 from"));
  }
}

// The branch of features ends at a linear layer; that of the image goes on.
TEST(InferShapes, KnowsForEachLayerWhetherItIsAnImage) {
  Network network = network_of({convolution, flatten, linear, pooling}, {3, 10, 12});
  network.layers[3].inputs = {0};
  EXPECT_EQ(infer_shapes(network, InputKind::image), std::nullopt);
  EXPECT_EQ(network.layers[3].output, (Shape{8, 4, 5}));
}

TEST(InferShapes, RefusesMoreChannelsThanCanBeCounted) {
  Network network = network_of({{.type = LayerType::concat}}, {1'000'000'000'000'000, 1, 1});
  network.layers[0].inputs.assign(10, Layer::network_input);
  const auto problem = infer_shapes(network, InputKind::features);
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->message, testing::HasSubstr("number of channels of the output too large"));
}

TEST(InferShapes, LetsAnImageOfOnePixelFeedALinearLayer) {
  Network network = network_of({linear}, {512, 1, 1});
  EXPECT_EQ(infer_shapes(network, InputKind::image), std::nullopt);
}

}  // namespace
}  // namespace layerpipe::network
