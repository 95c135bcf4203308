#include "scheduler/theory/token_graph.hpp"

#include <variant>

#include "scheduler/theory/task_graph.hpp"

namespace layerpipe::theory {

namespace {

/// Entry (op, lag) of round k is `op` of minibatch k - lag. So an entry of minibatch m waits for
/// the one before it of minibatch m + lag - (lag of the one before), and the first for the last of
/// the round before.
void add_order(const contract::StaticOrder& order, TokenGraph& graph) {
  for (std::size_t i = 0; i < order.entries.size(); ++i) {
    const bool is_first = i == 0;
    const contract::StaticOrder::Entry& entry = order.entries[i];
    const contract::StaticOrder::Entry& before =
        is_first ? order.entries.back() : order.entries[i - 1];
    graph.edges.push_back({before.op, entry.op, before.lag - entry.lag + (is_first ? 1 : 0)});
  }
}

}  // namespace

TokenGraph token_graph(const contract::Schedule& schedule, const TransferCycles& transfer_cycles) {
  const TaskGraph tasks = task_graph(schedule, 1, transfer_cycles);
  TokenGraph graph;
  for (TaskId id = 0; id < tasks.tasks.size(); ++id) {
    graph.cycles.push_back(tasks.tasks[id].cycles);
    for (const Successor& successor : tasks.tasks[id].successors) {
      graph.edges.push_back({id, successor.task, successor.tokens});
    }
  }
  for (const contract::Order& order : schedule.orders) {
    if (const auto* fixed = std::get_if<contract::StaticOrder>(&order)) add_order(*fixed, graph);
  }
  return graph;
}

TokenGraph token_graph(const DataflowGraph& graph) {
  TokenGraph result;
  for (const DataflowNode& node : graph.nodes) result.cycles.push_back(node.cycles);
  for (const DataflowEdge& edge : graph.edges) {
    result.edges.push_back({edge.from, edge.to, edge.delays});
  }
  return result;
}

}  // namespace layerpipe::theory
