#include "scheduler/theory/graphviz.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace layerpipe::scheduler {

namespace {

/// In double quotes, for DOT: only these two characters mean something there.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result += '\\';
    result += character;
  }
  return result + '"';
}

bool has_stage(const DataflowNode& node) {
  return node.kind != NodeKind::input && node.kind != NodeKind::output;
}

std::string node_line(const DataflowGraph& graph, NodeId node) {
  return fmt::format("    n{} [label={}];\n", node, quoted(describe(graph, node)));
}

std::string stage_box(const DataflowGraph& graph, std::size_t stage) {
  std::string text = fmt::format("  subgraph cluster_{0} {{\n    label=\"stage {0}\";\n", stage);
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    const DataflowNode& placed = graph.nodes[node];
    if (has_stage(placed) && placed.stage == stage) text += node_line(graph, node);
  }
  return text + "  }\n";
}

}  // namespace

std::string graphviz(const DataflowGraph& graph, const PipeliningStep& step) {
  std::string text = fmt::format(
      "digraph pipeline {{\n  label={};\n  rankdir=LR;\n  node [shape=box];\n", quoted(step.title));
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    if (!has_stage(graph.nodes[node])) text += node_line(graph, node);
  }
  for (std::size_t stage = 0; stage <= graph.boundaries; ++stage) text += stage_box(graph, stage);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const std::int64_t delays = step.delays.at(i);
    text += fmt::format("  n{} -> n{}{};\n", graph.edges[i].from, graph.edges[i].to,
                        delays == 0 ? "" : fmt::format(" [label=\"{}D\"]", delays));
  }
  return text + "}\n";
}

}  // namespace layerpipe::scheduler
