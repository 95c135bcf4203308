#include "scheduler/theory/retiming.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/placement/layerpipe.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/base/error.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace placement;
using namespace theory;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;

/// The design's worked example: layers on three stages, a quarter of delta(2) lent to the last.
DataflowGraph worked_example() {
  return dataflow_graph(test_profile({{10, 0, 30}, {20, 40, 50}, {60, 70, 80}}),
                        {{{0}, {1, {{2, 0.25, 10}}}, {2}}});
}

std::vector<std::string> edges(const DataflowGraph& graph,
                               const std::vector<std::int64_t>& delays) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < delays.size(); ++i) {
    result.push_back(fmt::format("{}: {}", describe(graph, graph.edges[i]), delays[i]));
  }
  return result;
}

/// The paper's Fig. 2 with three stages: n = 2, M = 4, 2, 0.
TEST(Retiming, StepsOfTheWorkedExample) {
  DataflowGraph graph = worked_example();
  const std::vector<PipeliningStep> steps = pipeline(graph);
  ASSERT_EQ(steps.size(), 5U);
  EXPECT_THAT(edges(graph, steps[1].delays),
              IsSupersetOf({"input -> FP(layer1): 2", "input -> G(layer1): 2",
                            "FP(layer3) -> output: 2", "G(layer1) -> UPDATE(layer1): 0"}));
  EXPECT_THAT(edges(graph, steps[2].delays),
              IsSupersetOf({"G(layer1) -> UPDATE(layer1): 4", "G(layer2) -> UPDATE(layer2): 2",
                            "G(layer3) -> UPDATE(layer3): 0", "UPDATE(layer1) -> FP(layer1): 1"}));
  EXPECT_EQ(steps[3].title, "retimed at boundary 1");
  EXPECT_THAT(edges(graph, steps[3].delays),
              IsSupersetOf({"input -> FP(layer1): 1", "FP(layer1) -> FP(layer2): 1",
                            "FP(layer2) -> FP(layer3): 0", "delta(layer2) -> G(layer1): 1",
                            "G(layer1) -> UPDATE(layer1): 2", "G(layer2) -> UPDATE(layer2): 2"}));
}

/// By the rule that an edge has one delay for each boundary that it crosses on the way forward
/// through the stages 0, 1, 2 and back, and that a use of weights has one more. Registers are then
/// between W and delta, and between a and the backward pass.
TEST(Retiming, EndOfTheWorkedExample) {
  DataflowGraph graph = worked_example();
  EXPECT_THAT(
      edges(graph, pipeline(graph).back().delays),
      testing::UnorderedElementsAre(
          "input -> FP(layer1): 0", "input -> G(layer1): 4", "FP(layer1) -> FP(layer2): 1",
          "FP(layer1) -> G(layer2): 3", "FP(layer2) -> FP(layer3): 1", "FP(layer2) -> G(layer3): 1",
          "FP(layer3) -> output: 2", "FP(layer3) -> delta(layer3): 0", "FP(layer3) -> G(layer3): 0",
          "delta(layer3) -> delta(layer2): 1", "delta(layer3) -> delta''(layer2): 0",
          "delta(layer3) -> G(layer2): 1", "delta(layer2) -> G(layer1): 1",
          "delta''(layer2) -> G(layer1): 2", "G(layer1) -> UPDATE(layer1): 0",
          "G(layer2) -> UPDATE(layer2): 0", "G(layer3) -> UPDATE(layer3): 0",
          "UPDATE(layer1) -> FP(layer1): 1", "UPDATE(layer2) -> FP(layer2): 1",
          "UPDATE(layer3) -> FP(layer3): 1", "UPDATE(layer2) -> delta(layer2): 3",
          "UPDATE(layer2) -> delta''(layer2): 2", "UPDATE(layer3) -> delta(layer3): 1"));
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InfeasibleError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::int64_t> delays(const DataflowGraph& graph) {
  std::vector<std::int64_t> result;
  for (const DataflowEdge& edge : graph.edges) result.push_back(edge.delays);
  return result;
}

/// What goes into the backward pass of stage 0 comes back out of it as an update.
TEST(Retiming, DelaysNeedAFeedForwardCut) {
  DataflowGraph graph = worked_example();
  const auto before = delays(graph);
  EXPECT_THAT(error_of([&] { insert_delays(graph, backward_cut(graph, 1), 1); }),
              testing::AllOf(HasSubstr("cut 'boundary 1, backward' is not feed-forward"),
                             HasSubstr("G(layer1) -> UPDATE(layer1) leads back")));
  EXPECT_EQ(delays(graph), before);
}

/// Without delays at the input there is nothing to take from it.
TEST(Retiming, DelaysAreNeverNegative) {
  DataflowGraph graph = worked_example();
  const auto before = delays(graph);
  EXPECT_THAT(error_of([&] { retime(graph, forward_cut(graph, 1), 1); }),
              testing::AllOf(HasSubstr("cut 'boundary 1, forward' cannot be retimed by 1"),
                             HasSubstr("input -> FP(layer1) has 0 delays (expected at least 1)")));
  EXPECT_EQ(delays(graph), before);
}

// M = 5, 2, 1 are 1, 0 and 1 more than 2 S: these stay between G and UPDATE.
TEST(Retiming, MoreDelaysThanNeededStayWhereTheyWere) {
  DataflowGraph graph = worked_example();
  const Pipelining pipelining = pipeline(graph, {5, 2, 1});
  EXPECT_EQ(pipelining.obstacle, "");
  ASSERT_EQ(pipelining.steps.size(), 5U);
  EXPECT_THAT(edges(graph, delays(graph)),
              IsSupersetOf({"G(layer1) -> UPDATE(layer1): 1", "G(layer2) -> UPDATE(layer2): 0",
                            "G(layer3) -> UPDATE(layer3): 1", "UPDATE(layer2) -> delta(layer2): 3",
                            "FP(layer2) -> FP(layer3): 1"}));
}

// M = S = 2, 1, 0: boundary 1 takes both delays of layer 1, and boundary 2 finds none there. With
// M = 0 not even the first boundary has any. The graph stays as it was after the last step.
TEST(Retiming, EndsWhereDelaysWouldBeNegative) {
  DataflowGraph graph = worked_example();
  const Pipelining half = pipeline(graph, {2, 1, 0});
  ASSERT_EQ(half.steps.size(), 4U);
  EXPECT_EQ(half.steps.back().title, "retimed at boundary 1");
  EXPECT_EQ(half.steps.back().delays, delays(graph));
  EXPECT_THAT(half.obstacle, HasSubstr("G(layer1) -> UPDATE(layer1) has 0 delays"));
  DataflowGraph synchronous = worked_example();
  const Pipelining none = pipeline(synchronous, {0, 0, 0});
  ASSERT_EQ(none.steps.size(), 3U);
  EXPECT_EQ(none.steps.back().delays, delays(synchronous));
  EXPECT_THAT(none.obstacle, HasSubstr("cut 'boundary 1, forward' cannot be retimed by 1"));
}

TEST(Retiming, OneStageNeedsNoDelays) {
  DataflowGraph graph = dataflow_graph(test_profile({{1, 0, 1}, {1, 1, 1}}), {{{0}, {0}}});
  const auto before = delays(graph);
  EXPECT_EQ(pipeline(graph).size(), 3U);
  EXPECT_EQ(delays(graph), before);
}

/// Retiming leaves the delays around every cycle what they are if and only if the changes of all
/// edges are differences of one number per node: they then add up to 0 around a cycle. True if such
/// numbers exist, found along any spanning tree and tried on the other edges.
bool keeps_delays_around_cycles(const DataflowGraph& graph, const std::vector<std::int64_t>& before,
                                const std::vector<std::int64_t>& after) {
  std::vector<std::vector<std::pair<NodeId, std::int64_t>>> changes(graph.nodes.size());
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const DataflowEdge& edge = graph.edges[i];
    changes[edge.from].emplace_back(edge.to, after[i] - before[i]);
    changes[edge.to].emplace_back(edge.from, before[i] - after[i]);
  }
  std::vector<bool> is_known(graph.nodes.size(), false);
  std::vector<std::int64_t> number(graph.nodes.size(), 0);
  for (NodeId root = 0; root < graph.nodes.size(); ++root) {
    if (is_known[root]) continue;
    is_known[root] = true;
    for (std::vector<NodeId> left{root}; !left.empty();) {
      const NodeId node = left.back();
      left.pop_back();
      for (const auto& [neighbour, change] : changes[node]) {
        if (!is_known[neighbour]) {
          is_known[neighbour] = true;
          number[neighbour] = number[node] + change;
          left.push_back(neighbour);
        } else if (number[neighbour] != number[node] + change) {
          return false;
        }
      }
    }
  }
  return true;
}

void expect_pipelined_by_the_rules(const Profile& profile, const Allocation& allocation) {
  DataflowGraph graph = dataflow_graph(profile, allocation);
  const std::vector<PipeliningStep> steps = pipeline(graph);
  for (std::size_t step = 3; step < steps.size(); ++step) {
    EXPECT_TRUE(keeps_delays_around_cycles(graph, steps[step - 1].delays, steps[step].delays))
        << steps[step].title;
  }
  for (const DataflowEdge& edge : graph.edges) {
    const bool is_update = graph.nodes[edge.to].kind == NodeKind::update;
    const bool brings_weights = graph.nodes[edge.from].kind == NodeKind::update;
    const std::int64_t crossed = position(graph, edge.to) - position(graph, edge.from);
    EXPECT_EQ(edge.delays, is_update ? 0 : crossed + (brings_weights ? 1 : 0))
        << describe(graph, edge);
  }
  const std::vector<LayerDelays> layers = layer_delays(graph);
  ASSERT_EQ(layers.size(), profile.layers.size());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::size_t stages_after = allocation.stages() - 1 - allocation.layers[l].processor;
    const auto expected = static_cast<std::int64_t>(2 * stages_after);
    EXPECT_EQ(layers[l].stage, allocation.layers[l].processor);
    EXPECT_EQ(layers[l].staleness, expected) << "layer " << l;
    EXPECT_EQ(layers[l].weight_versions, expected + 1) << "layer " << l;
    EXPECT_EQ(layers[l].activation_versions, expected + 1) << "layer " << l;
  }
}

TEST(Retiming, ShippedNetworks) {
  for (const char* name : {"alexnet", "mlp", "mobilenet_v2", "resnet18", "resnet50", "sample4",
                           "unet", "vgg16", "vgg16-conv"}) {
    SCOPED_TRACE(name);
    const auto network =
        read::read_network(fmt::format("{}/workloads/{}.yaml", LAYERPIPE_SOURCE_DIR, name));
    for (const bool first_input_gradient : {false, true}) {
      const Profile profile =
          costs::profile(test_machine(1), network, {.first_input_gradient = first_input_gradient});
      for (const std::size_t processors : {1U, 2U, 3U, 8U}) {
        expect_pipelined_by_the_rules(profile,
                                      layerpipe_partition(profile, processors, {}).allocation);
      }
    }
  }
}

/// Stages of random lengths, nothing lent.
Allocation random_stages(std::size_t layers, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Allocation allocation;
  for (std::size_t l = 0; l < layers; ++l) {
    const bool opens_stage = l > 0 && random() % 3 == 0;
    const ProcessorId before = l > 0 ? allocation.layers.back().processor : 0;
    allocation.layers.push_back({before + (opens_stage ? 1U : 0U)});
  }
  return allocation;
}

/// Layer 2 lends all of delta(2), to a stage without layers and to that of layer 3.
TEST(Retiming, StagesWithoutLayers) {
  const Profile profile = test_profile({{10, 0, 30}, {20, 40, 50}, {60, 70, 80}});
  const Allocation allocation{{{0}, {0, {{1, 0.75, 30}, {2, 0.25, 10}}}, {2}}};
  expect_pipelined_by_the_rules(profile, allocation);
  DataflowGraph graph = dataflow_graph(profile, allocation);
  static_cast<void>(pipeline(graph));
  EXPECT_THAT(
      edges(graph, delays(graph)),
      IsSupersetOf({"FP(layer2) -> FP(layer3): 2", "delta(layer3) -> delta''(layer2) on stage 1: 1",
                    "delta(layer3) -> delta''(layer2) on stage 2: 0",
                    "delta''(layer2) on stage 1 -> G(layer1): 1",
                    "UPDATE(layer2) -> delta''(layer2) on stage 1: 4"}));
}

TEST(Retiming, RandomGraphs) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = costs::profile(test_machine(1), random_graph(1 + seed % 12, seed),
                                           {.first_input_gradient = seed % 4 < 2});
    expect_pipelined_by_the_rules(profile, random_stages(profile.layers.size(), seed));
    for (const Reading reading : {Reading::literal, Reading::strict}) {
      expect_pipelined_by_the_rules(
          profile, layerpipe_partition(profile, 1 + seed % 5, {}, reading).allocation);
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace layerpipe::tests
