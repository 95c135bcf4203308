#pragma once

#include <string>

#include "scheduler/theory/retiming.hpp"

namespace layerpipe::theory {

/// A picture of the graph after one step of pipelining, in Graphviz's DOT language: forward passes,
/// backward passes and updates of each stage in a box, delays as labels ("2D") of edges that have
/// any. Delays move no node: pictures of all steps look alike. Precondition: the step is of the
/// graph.
[[nodiscard]] std::string graphviz(const DataflowGraph& graph, const PipeliningStep& step);

}  // namespace layerpipe::theory
