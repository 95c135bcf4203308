#include "scheduler/theory/graphviz.hpp"

#include <gtest/gtest.h>

#include "tests/support/test_profile.hpp"

namespace layerpipe::tests {
namespace {

using namespace scheduler;

/// One layer, whose name needs quoting, on one stage: by the rules of DOT.
TEST(Graphviz, OneLayer) {
  Profile profile = test_profile({{1, 0, 1}});
  profile.layers[0].name = "a\"b";
  const DataflowGraph graph = dataflow_graph(profile, {{{0, 0.0, 0}}});
  EXPECT_EQ(graphviz(graph, {"not pipelined", {0, 0, 0, 0, 0, 1}}),
            R"dot(digraph pipeline {
  label="not pipelined";
  rankdir=LR;
  node [shape=box];
    n0 [label="input"];
    n1 [label="output"];
  subgraph cluster_0 {
    label="stage 0";
    n2 [label="FP(a\"b)"];
    n3 [label="G(a\"b)"];
    n4 [label="UPDATE(a\"b)"];
  }
  n0 -> n2;
  n0 -> n3;
  n2 -> n1;
  n2 -> n3;
  n3 -> n4;
  n4 -> n2 [label="1D"];
}
)dot");
}

}  // namespace
}  // namespace layerpipe::tests
