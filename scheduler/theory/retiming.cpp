#include "scheduler/theory/retiming.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <utility>

#include "scheduler/contract/allocation_of.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::theory {

namespace {

Cut cut(const DataflowGraph& graph, std::string name,
        const std::function<bool(const DataflowNode&)>& is_behind) {
  Cut result{std::move(name), {}};
  for (const DataflowNode& node : graph.nodes) result.is_behind.push_back(is_behind(node));
  return result;
}

bool is_forward(const DataflowNode& node) {
  return node.kind == NodeKind::forward || node.kind == NodeKind::update;
}

bool is_backward(const DataflowNode& node) {
  return node.kind == NodeKind::sum || node.kind == NodeKind::input_gradient ||
         node.kind == NodeKind::lent_input_gradient || node.kind == NodeKind::weight_gradient;
}

/// 1 if the edge leads over the cut, -1 if it leads back, else 0.
int direction(const Cut& cut, const DataflowEdge& edge) {
  return static_cast<int>(cut.is_behind.at(edge.to)) -
         static_cast<int>(cut.is_behind.at(edge.from));
}

std::vector<std::int64_t> delays_of(const DataflowGraph& graph) {
  std::vector<std::int64_t> delays;
  for (const DataflowEdge& edge : graph.edges) delays.push_back(edge.delays);
  return delays;
}

/// The delays on the edges of one layer that make out its `LayerDelays`.
struct LayerEdges {
  std::int64_t kept = 0;  ///< from where the layer's input comes from to G, beyond those to FP
  std::int64_t gradient_to_update = 0;
  std::int64_t update_to_forward = 0;
};

std::vector<LayerEdges> edges_of_layers(const DataflowGraph& graph) {
  std::vector<LayerEdges> layers(graph.layer_names.size());
  std::map<std::pair<NodeId, std::size_t>, std::int64_t> delays_to_forward;  // [source, layer]
  for (const DataflowEdge& edge : graph.edges) {
    const DataflowNode& to = graph.nodes[edge.to];
    if (to.kind == NodeKind::update) layers[to.layer].gradient_to_update = edge.delays;
    if (to.kind != NodeKind::forward) continue;
    if (graph.nodes[edge.from].kind == NodeKind::update) {
      layers[to.layer].update_to_forward = edge.delays;
    } else {
      delays_to_forward[{edge.from, to.layer}] = edge.delays;
    }
  }
  for (const DataflowEdge& edge : graph.edges) {
    const DataflowNode& to = graph.nodes[edge.to];
    if (to.kind != NodeKind::weight_gradient) continue;
    const auto source = delays_to_forward.find({edge.from, to.layer});
    if (source != delays_to_forward.end()) layers[to.layer].kept = edge.delays - source->second;
  }
  return layers;
}

}  // namespace

Cut input_cut(const DataflowGraph& graph) {
  return cut(graph, "input", [](const auto& node) { return node.kind != NodeKind::input; });
}

Cut output_cut(const DataflowGraph& graph) {
  return cut(graph, "output", [](const auto& node) { return node.kind == NodeKind::output; });
}

Cut forward_cut(const DataflowGraph& graph, std::size_t boundary) {
  return cut(graph, fmt::format("boundary {}, forward", boundary),
             [boundary](const auto& node) { return !is_forward(node) || node.stage >= boundary; });
}

Cut backward_cut(const DataflowGraph& graph, std::size_t boundary) {
  return cut(graph, fmt::format("boundary {}, backward", boundary),
             [boundary](const auto& node) { return is_backward(node) && node.stage < boundary; });
}

void insert_delays(DataflowGraph& graph, const Cut& cut, std::int64_t delays) {
  for (const DataflowEdge& edge : graph.edges) {
    if (direction(cut, edge) >= 0) continue;
    throw InfeasibleError(
        fmt::format("cut '{}' is not feed-forward: {} leads back over it (expected all "
                    "of its edges to lead one way)",
                    cut.name, describe(graph, edge)));
  }
  retime(graph, cut, delays);
}

void delay_gradients(DataflowGraph& graph, const placement::Staleness& staleness) {
  for (DataflowEdge& edge : graph.edges) {
    const DataflowNode& to = graph.nodes[edge.to];
    if (to.kind == NodeKind::update) edge.delays += staleness.at(to.layer);
  }
}

void retime(DataflowGraph& graph, const Cut& cut, std::int64_t delays) {
  for (const DataflowEdge& edge : graph.edges) {
    const std::int64_t more = direction(cut, edge) * delays;
    if (edge.delays + more >= 0) continue;
    throw InfeasibleError(
        fmt::format("cut '{}' cannot be retimed by {}: {} has {} delays (expected at least {})",
                    cut.name, delays, describe(graph, edge), edge.delays, -more));
  }
  for (DataflowEdge& edge : graph.edges) edge.delays += direction(cut, edge) * delays;
}

Pipelining pipeline(DataflowGraph& graph, const placement::Staleness& staleness) {
  const auto n = static_cast<std::int64_t>(graph.boundaries);
  Pipelining result{{{"not pipelined", delays_of(graph)}}, {}};
  insert_delays(graph, input_cut(graph), n);
  insert_delays(graph, output_cut(graph), n);
  result.steps.push_back({"delays at input and output", delays_of(graph)});
  delay_gradients(graph, staleness);
  result.steps.push_back({"delayed gradients", delays_of(graph)});
  for (std::size_t boundary = 1; boundary <= graph.boundaries; ++boundary) {
    DataflowGraph retimed = graph;
    try {
      retime(retimed, forward_cut(graph, boundary), 1);
      retime(retimed, backward_cut(graph, boundary), 1);
    } catch (const InfeasibleError& error) {
      result.obstacle = error.what();
      break;
    }
    graph = std::move(retimed);
    result.steps.push_back({fmt::format("retimed at boundary {}", boundary), delays_of(graph)});
  }
  return result;
}

std::vector<PipeliningStep> pipeline(DataflowGraph& graph) {
  std::vector<std::size_t> stages(graph.layer_names.size());
  for (const DataflowNode& node : graph.nodes) {
    if (node.kind == NodeKind::update) stages[node.layer] = node.stage;
  }
  return pipeline(graph, staleness(placement::DelayRule::twice_stages_after, stages)).steps;
}

std::vector<contract::LayerDelays> layer_delays(const DataflowGraph& graph) {
  std::vector<contract::LayerDelays> result(graph.layer_names.size());
  for (const DataflowNode& node : graph.nodes) {
    if (node.kind == NodeKind::update) result[node.layer].stage = node.stage;
  }
  const std::vector<LayerEdges> edges = edges_of_layers(graph);
  for (std::size_t l = 0; l < result.size(); ++l) {
    result[l].layer = l;
    result[l].staleness =
        edges[l].kept + edges[l].gradient_to_update + edges[l].update_to_forward - 1;
    result[l].weight_versions = result[l].staleness + 1;
    result[l].activation_versions = edges[l].kept + 1;
  }
  return result;
}

}  // namespace layerpipe::theory
