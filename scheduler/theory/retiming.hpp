#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/contract/layer_delays.hpp"
#include "scheduler/theory/dataflow_graph.hpp"

namespace layerpipe::theory {

/// How training becomes a pipeline, in the three steps of LayerPipe, section III: delays are put on
/// feed-forward cutsets and on the gradients of the weights, then moved by retiming to the
/// boundaries between stages.

/// A partition of the nodes. Its cutset is the edges between the two sides.
struct Cut {
  std::string name;
  std::vector<bool> is_behind;  ///< [node]
};

/// Everything that comes from the network's input. Feed-forward in every graph.
[[nodiscard]] Cut input_cut(const DataflowGraph& graph);

/// Everything that goes to the network's output. Feed-forward in every graph.
[[nodiscard]] Cut output_cut(const DataflowGraph& graph);

/// Before it: forward passes and updates of the stages before boundary `boundary`, counted from 1.
[[nodiscard]] Cut forward_cut(const DataflowGraph& graph, std::size_t boundary);

/// Behind it: all of the backward passes of the stages before boundary `boundary`.
[[nodiscard]] Cut backward_cut(const DataflowGraph& graph, std::size_t boundary);

/// Puts `delays` more on every edge of a feed-forward cutset, which delays the output and changes
/// nothing else. Throws InfeasibleError, and leaves the graph as it is, if an edge leads back over
/// the cut.
void insert_delays(DataflowGraph& graph, const Cut& cut, std::int64_t delays);

/// Updates each layer with a gradient that is M(l) iterations old: as many more delays on its edge
/// from G to UPDATE. This alone changes what is computed; it is the delayed gradient of delayed
/// LMS. Precondition: `staleness` has a number for each layer.
void delay_gradients(DataflowGraph& graph, const placement::Staleness& staleness);

/// Puts `delays` more on every edge that leads over the cut and takes them off every edge that
/// leads back, so that the delays around each cycle stay what they are. Throws InfeasibleError, and
/// leaves the graph as it is, if an edge has too few.
void retime(DataflowGraph& graph, const Cut& cut, std::int64_t delays);

/// The delays of all edges after a step.
struct PipeliningStep {
  std::string title;
  std::vector<std::int64_t> delays;  ///< [edge]
};

/// How far a graph can be pipelined.
struct Pipelining {
  std::vector<PipeliningStep> steps;
  /// Why the boundary after the last step cannot be retimed; empty if it was the last one.
  std::string obstacle;
};

/// Pipelines a graph that comes from `dataflow_graph`. The steps: as it was; delays at input and
/// output; gradients delayed by M(l); then each boundary, from the first on, as long as no edge
/// would have fewer delays than none. With M(l) >= 2 S(l) everywhere, S(l) = stages after that of
/// layer l, all boundaries are retimed: an edge from G to UPDATE is left with M(l) - 2 S(l); any
/// other has as many delays as it crosses boundaries, and one more if it brings weights.
/// Precondition as for `delay_gradients`.
Pipelining pipeline(DataflowGraph& graph, const placement::Staleness& staleness);

/// The same with the paper's M(l) = 2 S(l), which has no obstacle.
std::vector<PipeliningStep> pipeline(DataflowGraph& graph);

/// Of every layer, read from the graph: M(l) + 1 are the delays around FP, G, UPDATE of the layer,
/// and its input is kept for as many iterations as lie between its arrival at FP(l) and at G(l).
[[nodiscard]] std::vector<contract::LayerDelays> layer_delays(const DataflowGraph& graph);

}  // namespace layerpipe::theory
