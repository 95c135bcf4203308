#include "scheduler/theory/dataflow_graph.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::tests {
namespace {

using namespace costs;
using namespace placement;
using namespace theory;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

std::vector<std::string> edges(const DataflowGraph& graph) {
  std::vector<std::string> result;
  for (const DataflowEdge& edge : graph.edges) {
    result.push_back(fmt::format("{}, {}", describe(graph, edge), edge.delays));
  }
  return result;
}

/// 1 x 1 convolutions on one image, each layer on a stage of its own.
DataflowGraph layer_per_stage(const std::string& layers, const ProfileOptions& options = {}) {
  const auto network = read::parse_network(
      "batch: 1\n"
      "bytes_per_element: {activations: 1, weights: 1, gradients: 1}\n"
      "input: {channels: 1, height: 4, width: 4}\n"
      "layers:\n" +
          layers,
      "graph.yaml");
  const Profile profile = costs::profile(test_machine(1), network, options);
  Allocation allocation;
  for (std::size_t l = 0; l < profile.layers.size(); ++l) allocation.layers.push_back({l});
  return dataflow_graph(profile, allocation);
}

std::string conv(const std::string& name, const std::string& input) {
  return fmt::format(
      "  - {{name: {}, type: conv2d, inputs: [{}], out_channels: 1, kernel_size: 1}}\n", name,
      input);
}

std::string add(const std::string& name, const std::string& inputs) {
  return fmt::format("  - {{name: {}, type: add, inputs: [{}]}}\n", name, inputs);
}

/// The design's worked example before it is pipelined: its table with one delay for each use of
/// weights, and what it leaves out there, the activations that weight gradients use.
TEST(DataflowGraph, WorkedExample) {
  const Profile profile = test_profile({{10, 0, 30}, {20, 40, 50}, {60, 70, 80}});
  const DataflowGraph graph = dataflow_graph(profile, {{{0}, {1, {{2, 0.25, 10}}}, {2}}});
  EXPECT_EQ(graph.boundaries, 2U);
  EXPECT_THAT(
      edges(graph),
      UnorderedElementsAre(
          "input -> FP(layer1), 0", "input -> G(layer1), 0", "FP(layer1) -> FP(layer2), 0",
          "FP(layer1) -> G(layer2), 0", "FP(layer2) -> FP(layer3), 0", "FP(layer2) -> G(layer3), 0",
          "FP(layer3) -> output, 0", "FP(layer3) -> delta(layer3), 0", "FP(layer3) -> G(layer3), 0",
          "delta(layer3) -> delta(layer2), 0", "delta(layer3) -> delta''(layer2), 0",
          "delta(layer3) -> G(layer2), 0", "delta(layer2) -> G(layer1), 0",
          "delta''(layer2) -> G(layer1), 0", "G(layer1) -> UPDATE(layer1), 0",
          "G(layer2) -> UPDATE(layer2), 0", "G(layer3) -> UPDATE(layer3), 0",
          "UPDATE(layer1) -> FP(layer1), 1", "UPDATE(layer2) -> FP(layer2), 1",
          "UPDATE(layer3) -> FP(layer3), 1", "UPDATE(layer2) -> delta(layer2), 1",
          "UPDATE(layer2) -> delta''(layer2), 1", "UPDATE(layer3) -> delta(layer3), 1"));
}

/// Costs and lent share of the example above: of 40 cycles 10 are lent to stage 2.
TEST(DataflowGraph, NodesKnowTheirStageAndCycles) {
  const Profile profile = test_profile({{10, 0, 30}, {20, 40, 50}, {60, 70, 80}});
  const DataflowGraph graph = dataflow_graph(profile, {{{0}, {1, {{2, 0.25, 10}}}, {2}}});
  std::vector<std::string> nodes;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const DataflowNode& node = graph.nodes[id];
    if (node.layer != 1) continue;
    nodes.push_back(fmt::format("{} stage {} position {} cycles {}", describe(graph, id),
                                node.stage, position(graph, id), node.cycles));
  }
  EXPECT_THAT(nodes, UnorderedElementsAre("FP(layer2) stage 1 position 1 cycles 20",
                                          "delta(layer2) stage 1 position 3 cycles 30",
                                          "delta''(layer2) stage 2 position 2 cycles 10",
                                          "G(layer2) stage 1 position 3 cycles 50",
                                          "UPDATE(layer2) stage 1 position 1 cycles 0"));
}

/// s = b + a is in the group of b: the gradient at a is what b's GEMM and what the sum pass back.
TEST(DataflowGraph, GradientsOfBranchesAreAddedUp) {
  const auto all = edges(
      layer_per_stage(conv("a", "input") + conv("b", "a") + add("s", "b, a") + conv("c", "s")));
  for (const char* edge : {"FP(a) -> FP(b), 0", "FP(a) -> G(b), 0", "FP(b) -> FP(c), 0",
                           "delta(c) -> G(b), 0", "delta(c) -> delta(b), 0",
                           "delta(b) -> SUM(a), 0", "delta(c) -> SUM(a), 0", "SUM(a) -> G(a), 0"}) {
    EXPECT_THAT(all, Contains(edge));
  }
  EXPECT_THAT(all, Not(Contains(HasSubstr("SUM(b)"))));
}

/// By its GEMM, c uses b alone; a goes to the sum behind it.
TEST(DataflowGraph, WeightGradientsUseWhatTheirGemmTakes) {
  const auto all = edges(
      layer_per_stage(conv("a", "input") + conv("b", "a") + conv("c", "b") + add("s", "c, a")));
  EXPECT_THAT(all, Contains("FP(a) -> FP(c), 0"));
  EXPECT_THAT(all, Not(Contains("FP(a) -> G(c), 0")));
  EXPECT_THAT(all, Contains("FP(c) -> SUM(a), 0"));  // the loss
}

TEST(DataflowGraph, EveryLayerOnTheInputIsConnectedToIt) {
  const std::string layers = conv("a", "input") + conv("b", "input") + add("s", "a, b");
  const auto all = edges(layer_per_stage(layers));
  EXPECT_THAT(all, Contains("input -> FP(b), 0"));
  EXPECT_THAT(all, Contains("input -> G(b), 0"));
  EXPECT_THAT(all, Not(Contains("delta(b) -> output, 0")));
  EXPECT_THAT(edges(layer_per_stage(layers, {.first_input_gradient = true})),
              Contains("delta(b) -> output, 0"));
}

/// What the borrower lacks for weightless layers comes from the forward pass.
TEST(DataflowGraph, TheBorrowerGetsWhatWeightlessLayersNeed) {
  Profile profile = test_profile({{10, 0, 30}, {20, 40, 50}, {60, 70, 80}});
  profile.layers[1].weightless_backward_bytes = 77;
  const DataflowGraph graph = dataflow_graph(profile, {{{0}, {1, {{2, 0.25, 10}}}, {2}}});
  EXPECT_THAT(edges(graph), Contains("FP(layer2) -> delta''(layer2), 0"));
}

}  // namespace
}  // namespace layerpipe::tests
