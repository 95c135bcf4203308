#include "scheduler/theory/graphviz.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <vector>

namespace layerpipe::theory {

namespace {

/// Of the nodes of a layer, from the top of the picture down.
constexpr std::array rows_of_a_layer{NodeKind::forward, NodeKind::update, NodeKind::weight_gradient,
                                     NodeKind::input_gradient, NodeKind::sum};

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

std::string node_line(const DataflowGraph& graph, NodeId node, const std::string& style) {
  return fmt::format("    n{} [label={}{}];\n", node, quoted(describe(graph, node)), style);
}

std::string stage_box(const DataflowGraph& graph, std::size_t stage) {
  std::string text = fmt::format("  subgraph cluster_{0} {{\n    label=\"stage {0}\";\n", stage);
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    const DataflowNode& placed = graph.nodes[node];
    if (has_stage(placed) && placed.stage == stage) text += node_line(graph, node, "");
  }
  return text + "  }\n";
}

/// Nodes of the same kind are beside each other, forward passes between input (n0) and output (n1).
std::string rows(const DataflowGraph& graph) {
  std::string text;
  for (const NodeKind kind : rows_of_a_layer) {
    std::vector<std::string> row;
    for (NodeId node = 0; node < graph.nodes.size(); ++node) {
      const NodeKind placed = graph.nodes[node].kind;
      const bool is_lent = placed == NodeKind::lent_input_gradient;
      if (placed == kind || (is_lent && kind == NodeKind::input_gradient)) {
        row.push_back(fmt::format("n{}", node));
      }
    }
    if (row.empty()) continue;
    text += kind == NodeKind::forward
                ? fmt::format("  {{ rank=same; n0 -> {} -> n1 [style=invis]; }}\n",
                              fmt::join(row, " -> "))
                : fmt::format("  {{ rank=same; {}; }}\n", fmt::join(row, "; "));
  }
  return text;
}

/// Nodes of the same layer are below each other.
std::string columns(const DataflowGraph& graph) {
  std::vector<std::string> columns(graph.layer_names.size());
  for (const NodeKind kind : rows_of_a_layer) {
    for (NodeId node = 0; node < graph.nodes.size(); ++node) {
      if (graph.nodes[node].kind != kind) continue;
      std::string& column = columns[graph.nodes[node].layer];
      column += fmt::format("{}n{}", column.empty() ? "" : " -> ", node);
    }
  }
  std::string text;
  for (const std::string& column : columns) {
    text += fmt::format("  {} [style=invis, weight=9];\n", column);
  }
  return text;
}

}  // namespace

std::string graphviz(const DataflowGraph& graph, const PipeliningStep& step) {
  std::string text = fmt::format(
      "digraph pipeline {{\n  label={};\n  nodesep=0.9;\n  ranksep=0.7;\n"
      "  fontname=\"Helvetica\";\n"
      "  node [shape=box, fontname=\"Helvetica\"];\n"
      "  edge [fontname=\"Helvetica\", fontcolor=\"#b00000\"];\n",
      quoted(step.title));
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    if (!has_stage(graph.nodes[node])) text += node_line(graph, node, ", shape=plaintext");
  }
  for (std::size_t stage = 0; stage <= graph.boundaries; ++stage) text += stage_box(graph, stage);
  text += rows(graph) + columns(graph);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const std::int64_t delays = step.delays.at(i);
    text +=
        fmt::format("  n{} -> n{} [constraint=false{}];\n", graph.edges[i].from, graph.edges[i].to,
                    delays == 0 ? "" : fmt::format(", xlabel=\"{}D\"", delays));
  }
  return text + "}\n";
}

}  // namespace layerpipe::theory
