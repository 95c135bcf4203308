#include "workloads/infer_shapes.hpp"

#include <gtest/gtest.h>

namespace layerpipe::workloads {
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

TEST(InferShapes, LetsAnImageOfOnePixelFeedALinearLayer) {
  Network network = network_of({linear}, {512, 1, 1});
  EXPECT_EQ(infer_shapes(network, InputKind::image), std::nullopt);
}

}  // namespace
}  // namespace layerpipe::workloads
