#include "scheduler/theory/critical_weight_gradients.hpp"

#include <optional>

#include "scheduler/placement/allocation.hpp"
#include "scheduler/theory/critical_loop.hpp"
#include "scheduler/theory/dataflow_graph.hpp"
#include "scheduler/theory/token_graph.hpp"

namespace layerpipe::theory {

std::vector<bool> weight_gradients_on_critical_loop(const costs::Profile& profile) {
  placement::Allocation one_processor;
  one_processor.layers.resize(profile.layers.size());
  const DataflowGraph graph = dataflow_graph(profile, one_processor);
  const std::optional<CriticalLoop> loop = critical_loop(
      token_graph(graph), [&graph](std::size_t node) { return describe(graph, node); });
  std::vector<bool> result(profile.layers.size(), false);
  if (!loop) return result;
  for (const std::size_t node : loop->path) {
    if (graph.nodes[node].kind == NodeKind::weight_gradient) result[graph.nodes[node].layer] = true;
  }
  return result;
}

}  // namespace layerpipe::theory
