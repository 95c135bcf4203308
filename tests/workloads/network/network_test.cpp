#include "workloads/network/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/base/error.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::network {
namespace {

using namespace base;

using testing::HasSubstr;

Network linear_network() {
  Network network;
  network.batch = 10;
  network.element_bytes = {.activation = 2, .weight = 3, .gradient = 5};
  network.input = {100, 1, 1};
  network.layers.push_back(
      {.type = LayerType::linear, .out_channels = 7, .input = {100, 1, 1}, .output = {7, 1, 1}});
  return network;
}

TEST(NetworkBytes, CountWholeMinibatches) {
  const Network network = linear_network();
  const Layer& layer = network.layers[0];
  EXPECT_EQ(activation_bytes(network, layer), 10 * 7 * 2);
  EXPECT_EQ(gradient_bytes(network, layer), 10 * 7 * 5);
  EXPECT_EQ(weight_bytes(network, layer), 100 * 7 * 3);
  EXPECT_EQ(parameter_bytes(network, layer), (100 * 7 + 7) * 3);
  EXPECT_EQ(parameter_gradient_bytes(network, layer), (100 * 7 + 7) * 5);
  EXPECT_EQ(input_bytes(network), 10 * 100 * 2);
  EXPECT_FALSE(is_measured(network));
}

TEST(NetworkBytes, OfMeasuredLayersAreThoseGiven) {
  Network network;
  network.batch = 10;
  network.layers.push_back(
      {.type = LayerType::measured, .measured = {.activation_bytes = 11, .weight_bytes = 13}});
  const Layer& layer = network.layers[0];
  EXPECT_EQ(activation_bytes(network, layer), 11);
  EXPECT_EQ(gradient_bytes(network, layer), 11);
  EXPECT_EQ(weight_bytes(network, layer), 13);
  EXPECT_EQ(parameter_bytes(network, layer), 13);
  EXPECT_EQ(parameter_gradient_bytes(network, layer), 13);
  EXPECT_EQ(input_bytes(network), 0);
  EXPECT_TRUE(is_measured(network));
}

TEST(FindSizeProblem, FindsNoneInAUsualNetwork) {
  EXPECT_EQ(find_size_problem(linear_network()), std::nullopt);
}

TEST(FindSizeProblem, FindsALayerThatIsTooLarge) {
  Network network = linear_network();
  network.layers.push_back({.type = LayerType::relu, .output = {max_exact, 1, 1}});
  const auto problem = find_size_problem(network);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->layer, 1U);
  EXPECT_THAT(problem->message,
              HasSubstr("bytes of a minibatch's activations or gradients too large"));
}

TEST(FindSizeProblem, FindsAnInputThatIsTooLarge) {
  Network network = linear_network();
  network.input = {max_exact / 20, 1, 1};  // 50 bytes of gradient for each element of the batch
  const auto problem = find_size_problem(network);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->layer, 0U);
}

TEST(FindSizeProblem, FindsASumThatIsTooLarge) {
  Network network;
  const Layer layer{.type = LayerType::measured, .measured = {.activation_bytes = max_exact / 8}};
  network.layers.assign(5, layer);  // of activations and gradients: a quarter each
  const auto problem = find_size_problem(network);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->layer, 3U);  // three quarters, and 8 bytes of input, leave no room for it
  EXPECT_THAT(problem->message, HasSubstr("bytes of all layers up to this one too large"));
}

}  // namespace
}  // namespace layerpipe::network
