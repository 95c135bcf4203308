#include "scheduler/theory/memory_bounds.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <utility>
#include <variant>

#include "scheduler/memory/flow.hpp"
#include "scheduler/theory/task_graph.hpp"

namespace layerpipe::theory {

namespace {

constexpr std::int64_t unreachable = std::numeric_limits<std::int64_t>::max();

bool prefers(const contract::Order& order, contract::OpId first, contract::OpId second) {
  const auto* priorities = std::get_if<contract::PriorityOrder>(&order);
  if (priorities == nullptr) return false;
  const auto urgency = [&](contract::OpId op) {
    return std::ranges::find(priorities->entries, op, &contract::PriorityOrder::Entry::op)->urgency;
  };
  return urgency(first) < urgency(second);
}

/// What waits for what, with tokens. An input gradient that its processor prefers to the weight
/// gradient of its layer precedes that: they wait for the same gradient, and FP before has waited
/// for the same weights. Not so where the weight gradient takes no cycles, and is executed before
/// anything is chosen.
TaskGraph waiting(const contract::Schedule& schedule) {
  TaskGraph graph = task_graph(schedule, 1, [](contract::TensorId) { return 0; });
  for (const memory::LayerExecution& layer : memory::Flow(schedule).layers) {
    if (cycles(schedule.ops[layer.weight_gradient]) == 0) continue;
    for (const contract::OpId op : layer.backward) {
      if (!prefers(schedule.orders[layer.processor], op, layer.weight_gradient)) continue;
      graph.tasks[op].successors.push_back({layer.weight_gradient, 0});
    }
  }
  return graph;
}

/// [task]: fewest tokens on a way from `from` to it.
std::vector<std::int64_t> fewest_tokens(const TaskGraph& graph, TaskId from) {
  std::vector<std::int64_t> fewest(graph.tasks.size(), unreachable);
  fewest[from] = 0;
  using Reached = std::pair<std::int64_t, TaskId>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> next;
  for (next.emplace(0, from); !next.empty();) {
    const auto [tokens, task] = next.top();
    next.pop();
    if (tokens > fewest[task]) continue;
    for (const Successor& successor : graph.tasks[task].successors) {
      const std::int64_t sum = tokens + successor.tokens;
      if (sum >= fewest[successor.task]) continue;
      fewest[successor.task] = sum;
      next.emplace(sum, successor.task);
    }
  }
  return fewest;
}

TaskId task_of(const memory::Step& step, const TaskGraph& graph) {
  return step.kind == memory::StepKind::tensor_arrived ? graph.ops + step.id : step.id;
}

/// How many more instances can have met `start` than `end`, in a run of so many minibatches, if the
/// task of `start` can be ahead by `tokens`.
std::int64_t lead(const memory::Step& start, const memory::Step& end, std::int64_t tokens,
                  std::int64_t minibatches) {
  const std::int64_t most = minibatches - start.lag;
  return tokens == unreachable ? most : std::min(most, tokens - start.lag + end.lag);
}

/// [holding]: the most instances at once. All of its `to` has to happen before one is let go. An
/// operation is ahead of itself by the one that is executed.
std::vector<std::int64_t> most_instances(const contract::Schedule& schedule,
                                         const std::vector<memory::Holding>& holdings,
                                         std::int64_t minibatches) {
  const TaskGraph graph = waiting(schedule);
  std::map<TaskId, std::vector<std::pair<std::size_t, memory::Step>>> ends;
  for (std::size_t i = 0; i < holdings.size(); ++i) {
    for (const memory::Step& end : holdings[i].lifetime.to.steps) {
      ends[task_of(end, graph)].emplace_back(i, end);
    }
  }
  std::vector<std::int64_t> most(holdings.size(), 0);
  for (const auto& [task, ended] : ends) {
    const std::vector<std::int64_t> fewest = fewest_tokens(graph, task);
    for (const auto& [i, end] : ended) {
      const memory::Moment& from = holdings[i].lifetime.from;
      std::vector<std::int64_t> leads;
      for (const memory::Step& start : from.steps) {
        const bool is_under_way = start.kind == memory::StepKind::operation_started;
        const TaskId started = task_of(start, graph);
        const std::int64_t tokens = started == task ? (is_under_way ? 1 : 0) : fewest[started];
        leads.push_back(lead(start, end, tokens, minibatches));
      }
      most[i] =
          std::max(most[i], from.is_first ? std::ranges::max(leads) : std::ranges::min(leads));
    }
  }
  return most;
}

bool is_kept(const memory::Holding& holding) {
  return holding.kind == memory::MemoryKind::weights ||
         holding.kind == memory::MemoryKind::activations;
}

}  // namespace

std::vector<LayerMemory> layer_memory(const contract::Schedule& schedule,
                                      const costs::Profile& profile, std::int64_t minibatches) {
  std::vector<memory::Holding> kept = memory::holdings(schedule, profile);
  std::erase_if(kept, [](const memory::Holding& holding) { return !is_kept(holding); });
  const std::vector<std::int64_t> most = most_instances(schedule, kept, minibatches);
  const std::vector<memory::LayerExecution> layers = memory::Flow(schedule).layers;
  std::map<std::pair<std::size_t, costs::ProcessorId>, LayerMemory> entries;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const memory::Holding& holding = kept[i];
    LayerMemory& entry = entries[{holding.layer, holding.processor}];
    entry.layer = holding.layer;
    entry.processor = holding.processor;
    entry.is_lent = holding.processor != layers[holding.layer].processor;
    const bool is_weights = holding.kind == memory::MemoryKind::weights;
    (is_weights ? entry.weight_bytes : entry.activation_bytes) += most[i] * holding.bytes;
    std::int64_t& versions = is_weights ? entry.weight_versions : entry.activation_versions;
    versions = std::max(versions, most[i]);
  }
  std::vector<LayerMemory> result;
  for (const auto& [place, entry] : entries) result.push_back(entry);
  std::ranges::stable_sort(
      result, {}, [](const LayerMemory& entry) { return std::pair(entry.layer, entry.is_lent); });
  return result;
}

}  // namespace layerpipe::theory
