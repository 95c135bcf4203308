#include "workloads/network/execution_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace layerpipe::network {
namespace {

using testing::ElementsAre;
using Inputs = std::vector<std::size_t>;

constexpr std::size_t input = Layer::network_input;

std::vector<Layer> layers_of(const std::vector<Inputs>& inputs) {
  std::vector<Layer> layers(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) layers[i].inputs = inputs[i];
  return layers;
}

/// Takes, again and again, the first layer whose inputs have all been taken: the definition.
std::vector<std::size_t> order_by_definition(const std::vector<Layer>& layers) {
  std::vector<std::size_t> order;
  std::set<std::size_t> taken{input};
  const auto is_next = [&](std::size_t i) {
    const Inputs& inputs = layers[i].inputs;
    return !taken.contains(i) && std::all_of(inputs.begin(), inputs.end(),
                                             [&](std::size_t j) { return taken.contains(j); });
  };
  for (std::size_t i = 0; i < layers.size();) {
    if (is_next(i)) {
      order.push_back(i);
      taken.insert(i);
      i = 0;
    } else {
      ++i;
    }
  }
  return order;
}

/// Up to three inputs for each of up to 12 layers, wherever they stand.
std::vector<Layer> random_layers(std::mt19937& random) {
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  std::vector<Layer> layers(1 + below(12));
  for (Layer& layer : layers) {
    layer.inputs.resize(1 + below(3));
    for (std::size_t& from : layer.inputs) from = below(2) == 0 ? input : below(layers.size());
  }
  return layers;
}

TEST(ExecutionOrder, KeepsAnOrderThatIsOne) {
  EXPECT_THAT(execution_order(layers_of({{input}, {0}, {input}, {0, 2}, {1, 3}})),
              ElementsAre(0, 1, 2, 3, 4));
}

// 1 and 3 could begin; 1 stands first. Then 2 and 3 could follow; 0 needs 3.
TEST(ExecutionOrder, TakesWhatStandsFirst) {
  EXPECT_THAT(execution_order(layers_of({{3, 1}, {input}, {1}, {input}, {0}})),
              ElementsAre(1, 2, 3, 0, 4));
}

TEST(ExecutionOrder, TakesALayerOnceThatFeedsAnotherTwice) {
  EXPECT_THAT(execution_order(layers_of({{1, 1}, {input, input}})), ElementsAre(1, 0));
}

TEST(ExecutionOrder, LeavesOutCyclesAndWhatIsBehindThem) {
  EXPECT_THAT(execution_order(layers_of({{input}, {2}, {0, 1}, {2}, {0}})), ElementsAre(0, 4));
}

TEST(ExecutionOrder, IsTheDefinitionsOnRandomGraphs) {
  std::mt19937 random(1);
  int with_cycle = 0;
  for (int i = 0; i < 2'000; ++i) {
    const std::vector<Layer> layers = random_layers(random);
    const std::vector<std::size_t> order = execution_order(layers);
    ASSERT_EQ(order, order_by_definition(layers)) << i;
    if (order.size() < layers.size()) ++with_cycle;
  }
  EXPECT_GT(with_cycle, 300);
  EXPECT_LT(with_cycle, 1'700);
}

TEST(FindCycle, GoesFromInputToOutput) {
  EXPECT_THAT(find_cycle(layers_of({{input}, {3}, {1}, {2}, {3}})), ElementsAre(1, 2, 3));
  EXPECT_THAT(find_cycle(layers_of({{input}, {1}})), ElementsAre(1));
}

// Layer 0 is behind the cycle, but not on it.
TEST(FindCycle, LeavesOutWhatIsBehindTheCycle) {
  EXPECT_THAT(find_cycle(layers_of({{2}, {2}, {1}})), ElementsAre(1, 2));
}

TEST(FindCycle, FindsOneWhereverLayersAreLeftOut) {
  std::mt19937 random(2);
  for (int i = 0; i < 2'000; ++i) {
    const std::vector<Layer> layers = random_layers(random);
    if (execution_order(layers).size() == layers.size()) continue;
    const std::vector<std::size_t> cycle = find_cycle(layers);
    ASSERT_FALSE(cycle.empty());
    EXPECT_EQ(std::set(cycle.begin(), cycle.end()).size(), cycle.size());
    EXPECT_EQ(*std::min_element(cycle.begin(), cycle.end()), cycle.front());
    for (std::size_t j = 0; j < cycle.size(); ++j) {
      EXPECT_THAT(layers[cycle[(j + 1) % cycle.size()]].inputs, testing::Contains(cycle[j]));
    }
  }
}

}  // namespace
}  // namespace layerpipe::network
