#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/costs/profile.hpp"
#include "scheduler/placement/allocation.hpp"

namespace layerpipe::theory {

/// Training as a dataflow graph of one iteration, in the sense of LayerPipe, section III: what a
/// node computes from, and how many iterations ago that was. Nothing is said of time.
///
/// An edge with d delays (registers) hands to iteration n what iteration n - d has computed.
using NodeId = std::size_t;

enum class NodeKind {
  input,                ///< where the network's input and the labels come from
  output,               ///< where the network's output and the gradient at its input go to
  forward,              ///< FP(l)
  sum,                  ///< adds up the gradient at the output of group l
  input_gradient,       ///< delta(l), or the part of it that stays
  lent_input_gradient,  ///< a part of delta(l) on another stage, delta''(l)
  weight_gradient,      ///< G(l)
  update,               ///< W(l) of the next iteration
};

struct DataflowNode {
  NodeKind kind = NodeKind::input;
  std::size_t layer = 0;  ///< 0-based; none of input and output
  std::size_t stage = 0;  ///< none of input and output
  std::int64_t cycles = 0;
};

struct DataflowEdge {
  NodeId from = 0;
  NodeId to = 0;
  std::int64_t delays = 0;
};

struct DataflowGraph {
  std::vector<DataflowNode> nodes;  ///< input, output, then by layer
  std::vector<DataflowEdge> edges;
  std::vector<std::string> layer_names;
  std::size_t boundaries = 0;  ///< between stages: n of the paper
};

/// The graph of a placed network before it is pipelined: one delay from each update to whatever
/// uses the weights, none elsewhere.
///
/// G(l) uses a(l-1) and the gradient at the output of group l; that gradient is added up by a node
/// of its own where it is more than one layer's input gradient. Layers whose GEMM takes no value of
/// another group take the network's input. Precondition: `allocation` places `profile`.
[[nodiscard]] DataflowGraph dataflow_graph(const costs::Profile& profile,
                                           const placement::Allocation& allocation);

/// "FP(conv1)", "delta(conv2)", "delta''(conv2)" (lent), "G(conv1)", "UPDATE(conv1)", "SUM(conv1)",
/// "input", "output"; "delta''(conv2) on stage 1" where several stages have such a part.
[[nodiscard]] std::string describe(const DataflowGraph& graph, NodeId node);

/// "G(conv1) -> UPDATE(conv1)".
[[nodiscard]] std::string describe(const DataflowGraph& graph, const DataflowEdge& edge);

/// Where a node stands on the way of a minibatch through all stages and back, with n boundaries:
/// forward passes and updates of stage s at s, all of the backward pass at 2 n - s, the network's
/// input at 0 and its output at 2 n. Of a minibatch, an edge crosses as many boundaries as its ends
/// are apart; with an update the next iteration begins.
[[nodiscard]] std::int64_t position(const DataflowGraph& graph, NodeId node);

}  // namespace layerpipe::theory
