#include "scheduler/theory/critical_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/howard_cycle_ratio.hpp>
#include <limits>
#include <numeric>
#include <utility>

#include "workloads/base/error.hpp"

namespace layerpipe::theory {

namespace {

/// Cycles times tokens of a whole graph, 10^14 and more times thousands, need more than 64 bits.
__extension__ using Wide = __int128;

/// Edges of a loop, in the order in which they are passed; empty for none.
using Loop = std::vector<std::size_t>;

constexpr std::size_t no_edge = std::numeric_limits<std::size_t>::max();

/// The loop that is closed by going from each node back along the edge that leads to it.
Loop loop_among(const TokenGraph& graph, const std::vector<std::size_t>& edge_to) {
  std::vector<std::size_t> walk_of(graph.cycles.size(), 0);
  for (std::size_t start = 0; start < walk_of.size(); ++start) {
    std::size_t node = start;
    while (walk_of[node] == 0 && edge_to[node] != no_edge) {
      walk_of[node] = start + 1;
      node = graph.edges[edge_to[node]].from;
    }
    if (walk_of[node] != start + 1) continue;
    Loop loop;
    const std::size_t end = node;
    do {
      loop.push_back(edge_to[node]);
      node = graph.edges[edge_to[node]].from;
    } while (node != end);
    std::reverse(loop.begin(), loop.end());
    return loop;
  }
  return {};
}

/// Of each node the weight of the heaviest path to it, from anywhere; or, if weights add up to more
/// than 0 around a loop, such a loop.
struct HeaviestPaths {
  std::vector<Wide> weight;
  Loop loop;
};

/// Bellman and Ford's algorithm. The sooner edges come that start paths, the faster it is.
template <typename Weight>
HeaviestPaths heaviest_paths(const TokenGraph& graph, const std::vector<std::size_t>& order,
                             const Weight& weight) {
  HeaviestPaths paths{std::vector<Wide>(graph.cycles.size(), 0), {}};
  std::vector<std::size_t> edge_to(graph.cycles.size(), no_edge);
  for (bool changed = true; changed && paths.loop.empty();) {
    changed = false;
    for (const std::size_t i : order) {
      const TokenGraph::Edge& edge = graph.edges[i];
      const Wide found = paths.weight[edge.from] + weight(edge);
      if (found <= paths.weight[edge.to]) continue;
      paths.weight[edge.to] = found;
      edge_to[edge.to] = i;
      changed = true;
    }
    if (changed) paths.loop = loop_among(graph, edge_to);
  }
  return paths;
}

std::string describe(const TokenGraph& graph, const Loop& loop, const NodeName& name) {
  std::string text = name(graph.edges[loop.front()].from);
  for (const std::size_t edge : loop) text += " -> " + name(graph.edges[edge].to);
  return text;
}

/// The same graph with no negative tokens and as many around each loop: minibatches of each node
/// are counted from another one on.
struct Renumbered {
  TokenGraph graph;
  std::vector<std::size_t> order;  ///< edges; those without tokens as they follow each other
};

/// A loop of n edges weighs n - tokens x (nodes + 1): more than 0 exactly if it has no tokens.
Renumbered renumbered(const TokenGraph& graph, const NodeName& name) {
  const auto base = static_cast<Wide>(graph.cycles.size() + 1);
  std::vector<std::size_t> order(graph.edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const HeaviestPaths paths = heaviest_paths(
      graph, order, [base](const TokenGraph::Edge& edge) { return 1 - edge.tokens * base; });
  if (!paths.loop.empty()) {
    throw DeadlockError(fmt::format("{} wait for each other (expected a token on every loop)",
                                    describe(graph, paths.loop, name)));
  }
  Renumbered result{graph, std::move(order)};
  for (TokenGraph::Edge& edge : result.graph.edges) {
    edge.tokens +=
        static_cast<std::int64_t>(paths.weight[edge.to] / base - paths.weight[edge.from] / base);
  }
  std::stable_sort(result.order.begin(), result.order.end(), [&](std::size_t a, std::size_t b) {
    return paths.weight[graph.edges[a].from] % base < paths.weight[graph.edges[b].from] % base;
  });
  return result;
}

/// Howard's algorithm. It stops at differences of 0.005 cycles, and after 100 rounds.
Loop howards_loop(const TokenGraph& graph) {
  using Index = boost::property<boost::edge_index_t, std::size_t>;
  using Tokens = boost::property<boost::edge_weight2_t, double, Index>;
  using Cycles = boost::property<boost::edge_weight_t, double, Tokens>;
  using Graph =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Cycles>;
  Graph boost_graph(graph.cycles.size());
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const TokenGraph::Edge& edge = graph.edges[i];
    boost::add_edge(edge.from, edge.to,
                    Cycles(static_cast<double>(graph.cycles[edge.from]),
                           Tokens(static_cast<double>(edge.tokens), Index(i))),
                    boost_graph);
  }
  std::vector<boost::graph_traits<Graph>::edge_descriptor> edges;
  boost::maximum_cycle_ratio(boost_graph, boost::get(boost::vertex_index, boost_graph),
                             boost::get(boost::edge_weight, boost_graph),
                             boost::get(boost::edge_weight2, boost_graph), &edges);
  Loop loop;
  for (const auto& edge : edges) loop.push_back(boost::get(boost::edge_index, boost_graph, edge));
  return loop;
}

CriticalLoop to_critical_loop(const TokenGraph& graph, const Loop& edges) {
  CriticalLoop loop;
  for (const std::size_t i : edges) {
    const TokenGraph::Edge& edge = graph.edges[i];
    loop.cycles += graph.cycles[edge.from];
    loop.delays += edge.tokens;
    loop.path.push_back(edge.from);
  }
  std::rotate(loop.path.begin(), std::min_element(loop.path.begin(), loop.path.end()),
              loop.path.end());
  return loop;
}

}  // namespace

std::optional<CriticalLoop> critical_loop(const TokenGraph& graph, const NodeName& name) {
  if (graph.edges.empty()) return std::nullopt;
  const Renumbered numbered = renumbered(graph, name);
  std::optional<CriticalLoop> best;
  for (Loop loop = howards_loop(numbered.graph);;) {
    if (!loop.empty()) best = to_critical_loop(numbered.graph, loop);
    const Wide cycles = best ? best->cycles : 0;
    const Wide delays = best ? best->delays : 1;
    loop = heaviest_paths(numbered.graph, numbered.order, [&](const TokenGraph::Edge& edge) {
             return graph.cycles[edge.from] * delays - edge.tokens * cycles;
           }).loop;
    if (loop.empty()) break;
  }
  return best && best->cycles > 0 ? best : std::nullopt;
}

}  // namespace layerpipe::theory
