#include "scheduler/theory/graphviz.hpp"

#include <gtest/gtest.h>

#include "tests/support/test_profile.hpp"

namespace layerpipe::tests {
namespace {

using namespace costs;
using namespace theory;

/// One layer, whose name needs quoting, on one stage: by the rules of DOT.
TEST(Graphviz, OneLayer) {
  Profile profile = test_profile({{1, 0, 1}});
  profile.layers[0].name = "a\"b";
  const DataflowGraph graph = dataflow_graph(profile, {{{0}}});
  EXPECT_EQ(graphviz(graph, {"not pipelined", {0, 0, 0, 0, 0, 1}}),
            R"dot(digraph pipeline {
  label="not pipelined";
  nodesep=0.9;
  ranksep=0.7;
  fontname="Helvetica";
  node [shape=box, fontname="Helvetica"];
  edge [fontname="Helvetica", fontcolor="#b00000"];
    n0 [label="input", shape=plaintext];
    n1 [label="output", shape=plaintext];
  subgraph cluster_0 {
    label="stage 0";
    n2 [label="FP(a\"b)"];
    n3 [label="G(a\"b)"];
    n4 [label="UPDATE(a\"b)"];
  }
  { rank=same; n0 -> n2 -> n1 [style=invis]; }
  { rank=same; n4; }
  { rank=same; n3; }
  n2 -> n4 -> n3 [style=invis, weight=9];
  n0 -> n2 [constraint=false];
  n0 -> n3 [constraint=false];
  n2 -> n1 [constraint=false];
  n2 -> n3 [constraint=false];
  n3 -> n4 [constraint=false];
  n4 -> n2 [constraint=false, xlabel="1D"];
}
)dot");
}

}  // namespace
}  // namespace layerpipe::tests
