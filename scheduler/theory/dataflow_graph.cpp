#include "scheduler/theory/dataflow_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scheduler/costs/split.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::theory {

namespace {

constexpr NodeId input_node = 0;
constexpr NodeId output_node = 1;

/// The nodes of a layer.
struct LayerNodes {
  NodeId forward = 0;
  std::vector<NodeId> input_gradient;  ///< the part that stays, those that are borrowed
  NodeId weight_gradient = 0;
  NodeId update = 0;
  std::vector<NodeId> borrowed;
};

class GraphBuilder {
 public:
  GraphBuilder(const costs::Profile& profile, const placement::Allocation& allocation)
      : profile_(profile), allocation_(allocation), values_of_(profile.layers.size()) {
    for (const costs::Value& value : profile.values) values_of_[value.layer].push_back(&value);
  }

  DataflowGraph build() && {
    const std::size_t layers = profile_.layers.size();
    graph_.boundaries = allocation_.stages() - 1;
    graph_.nodes = {{NodeKind::input}, {NodeKind::output}};
    for (std::size_t l = 0; l < layers; ++l) add_layer(l);
    connect_activations();
    gradients_.resize(layers);
    for (std::size_t l = layers; l-- > 0;) connect_gradient(l);
    for (std::size_t l = 0; l < layers; ++l) connect_update(l);
    return std::move(graph_);
  }

 private:
  NodeId add(NodeKind kind, std::size_t layer, std::size_t stage, std::int64_t cycles) {
    graph_.nodes.push_back({kind, layer, stage, cycles});
    return graph_.nodes.size() - 1;
  }

  void connect(NodeId from, NodeId to, std::int64_t delays = 0) {
    graph_.edges.push_back({from, to, delays});
  }

  [[nodiscard]] std::size_t stage(std::size_t layer) const {
    return allocation_.layers[layer].processor;
  }

  void add_layer(std::size_t l) {
    const costs::LayerProfile& layer = profile_.layers[l];
    const placement::Placement& placement = allocation_.layers[l];
    graph_.layer_names.push_back(layer.name);
    LayerNodes nodes;
    nodes.forward = add(NodeKind::forward, l, stage(l), layer.forward_cycles);
    const double borrowed = borrowed_fraction(placement);
    if (layer.has_input_gradient && borrowed < 1.0) {
      nodes.input_gradient.push_back(add(NodeKind::input_gradient, l, stage(l),
                                         kept_cycles(layer, allocation_.split, borrowed)));
    }
    for (const placement::BorrowedPart& part : placement.borrowed) {
      nodes.borrowed.push_back(add(NodeKind::lent_input_gradient, l, part.processor, part.cycles));
      nodes.input_gradient.push_back(nodes.borrowed.back());
    }
    nodes.weight_gradient =
        add(NodeKind::weight_gradient, l, stage(l), layer.weight_gradient_cycles);
    nodes.update = add(NodeKind::update, l, stage(l), 0);
    nodes_.push_back(std::move(nodes));
  }

  void connect_activations() {
    std::vector<bool> takes_value(nodes_.size(), false);
    for (const costs::Value& value : profile_.values) {
      const NodeId source = nodes_[value.layer].forward;
      for (const costs::Value::Use& use : value.uses) {
        connect(source, nodes_[use.layer].forward);
        if (!use.by_gemm) continue;
        connect(source, nodes_[use.layer].weight_gradient);
        takes_value[use.layer] = true;
      }
    }
    for (std::size_t l = 0; l < nodes_.size(); ++l) {
      if (!takes_value[l]) connect_to_input(nodes_[l]);
      if (profile_.layers[l].has_loss) connect(nodes_[l].forward, output_node);
    }
  }

  void connect_to_input(const LayerNodes& nodes) {
    connect(input_node, nodes.forward);
    connect(input_node, nodes.weight_gradient);
    for (const NodeId delta : nodes.input_gradient) connect(delta, output_node);
  }

  /// The gradient at the output of group l, and to whoever uses it there. From the last layer to
  /// the first: what it is added up from is there before it.
  void connect_gradient(std::size_t l) {
    const bool is_input_gradient_of_one_layer = !profile_.layers[l].has_loss &&
                                                values_of_[l].size() == 1 &&
                                                has_one_use(*values_of_[l].front());
    const bool is_loss_alone = profile_.layers[l].has_loss && values_of_[l].empty();
    std::vector<NodeId> gradient = contributions(l);
    if (!is_input_gradient_of_one_layer && !is_loss_alone) {
      const NodeId sum = add(NodeKind::sum, l, summing_stage(l), 0);
      for (const NodeId part : gradient) connect(part, sum);
      gradient = {sum};
    }
    for (const NodeId part : gradient) {
      for (const NodeId delta : nodes_[l].input_gradient) connect(part, delta);
      connect(part, nodes_[l].weight_gradient);
    }
    gradients_[l] = std::move(gradient);
  }

  static bool has_one_use(const costs::Value& value) {
    return value.uses.size() == 1 && !value.uses.front().by_others && !value.used_within;
  }

  /// What the gradient at the output of group l is added up from.
  [[nodiscard]] std::vector<NodeId> contributions(std::size_t l) const {
    std::vector<NodeId> parts;
    const auto append = [&parts](const std::vector<NodeId>& nodes) {
      parts.insert(parts.end(), nodes.begin(), nodes.end());
    };
    if (profile_.layers[l].has_loss) parts.push_back(nodes_[l].forward);
    for (const costs::Value* value : values_of_[l]) {
      for (const costs::Value::Use& use : value->uses) {
        if (use.by_gemm) append(nodes_[use.layer].input_gradient);
        if (use.by_others) append(gradients_[use.layer]);
      }
    }
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return parts;
  }

  [[nodiscard]] std::size_t summing_stage(std::size_t l) const {
    if (profile_.layers[l].has_loss || values_of_[l].size() != 1) return stage(l);
    return placement::summing_processor(*values_of_[l].front(), processors(allocation_));
  }

  void connect_update(std::size_t l) {
    const LayerNodes& nodes = nodes_[l];
    connect(nodes.weight_gradient, nodes.update);
    connect(nodes.update, nodes.forward, 1);
    for (const NodeId delta : nodes.input_gradient) connect(nodes.update, delta, 1);
    for (const NodeId part : nodes.borrowed) {
      const std::size_t at = graph_.nodes[part].stage;
      if (lacking_weightless_bytes(profile_, allocation_, l, at) > 0) connect(nodes.forward, part);
    }
  }

  const costs::Profile& profile_;
  const placement::Allocation& allocation_;
  std::vector<std::vector<const costs::Value*>> values_of_;  ///< [layer]
  std::vector<LayerNodes> nodes_;
  std::vector<std::vector<NodeId>> gradients_;  ///< [layer]: nodes whose sum it is
  DataflowGraph graph_;
};

std::string_view prefix(NodeKind kind) {
  switch (kind) {
    case NodeKind::input:
      return "input";
    case NodeKind::output:
      return "output";
    case NodeKind::forward:
      return "FP";
    case NodeKind::sum:
      return "SUM";
    case NodeKind::input_gradient:
      return "delta";
    case NodeKind::lent_input_gradient:
      return "delta''";
    case NodeKind::weight_gradient:
      return "G";
    case NodeKind::update:
      return "UPDATE";
  }
  throw InternalError(fmt::format("node of unknown kind {}", static_cast<int>(kind)));
}

}  // namespace

DataflowGraph dataflow_graph(const costs::Profile& profile,
                             const placement::Allocation& allocation) {
  return GraphBuilder(profile, allocation).build();
}

std::string describe(const DataflowGraph& graph, NodeId node) {
  const DataflowNode& described = graph.nodes.at(node);
  const std::string_view kind = prefix(described.kind);
  if (described.kind == NodeKind::input || described.kind == NodeKind::output) {
    return std::string(kind);
  }
  const std::string text = fmt::format("{}({})", kind, graph.layer_names.at(described.layer));
  const auto is_alike = [&](const DataflowNode& other) {
    return other.kind == described.kind && other.layer == described.layer;
  };
  const bool is_alone = std::ranges::count_if(graph.nodes, is_alike) == 1;
  return is_alone ? text : fmt::format("{} on stage {}", text, described.stage);
}

std::string describe(const DataflowGraph& graph, const DataflowEdge& edge) {
  return fmt::format("{} -> {}", describe(graph, edge.from), describe(graph, edge.to));
}

std::int64_t position(const DataflowGraph& graph, NodeId node) {
  const DataflowNode& placed = graph.nodes.at(node);
  const auto way_back = 2 * static_cast<std::int64_t>(graph.boundaries);
  const auto stage = static_cast<std::int64_t>(placed.stage);
  switch (placed.kind) {
    case NodeKind::input:
      return 0;
    case NodeKind::output:
      return way_back;
    case NodeKind::forward:
    case NodeKind::update:
      return stage;
    case NodeKind::sum:
    case NodeKind::input_gradient:
    case NodeKind::lent_input_gradient:
    case NodeKind::weight_gradient:
      return way_back - stage;
  }
  throw InternalError(fmt::format("node of unknown kind {}", static_cast<int>(placed.kind)));
}

}  // namespace layerpipe::theory
