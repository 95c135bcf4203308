#include "scheduler/theory/task_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "scheduler/contract/check_schedule.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::theory {

namespace {

void add_ops(const contract::Schedule& schedule, std::int64_t minibatches, TaskGraph& graph) {
  for (const contract::Op& op : schedule.ops) {
    graph.tasks.push_back(
        {.cycles = cycles(op), .resource = op.processor, .instances = minibatches});
  }
}

/// A transfer has no instances until an edge waits for them. A local tensor is one of no duration
/// on a channel of its own.
void add_transfers(const contract::Schedule& schedule, const TransferCycles& transfer_cycles,
                   TaskGraph& graph) {
  std::map<std::pair<costs::ProcessorId, costs::ProcessorId>, std::size_t> channels;
  for (contract::TensorId id = 0; id < schedule.tensors.size(); ++id) {
    const contract::Tensor& tensor = schedule.tensors[id];
    const bool is_local = tensor.tensor_class == contract::TensorClass::local;
    const std::int64_t duration = is_local ? 0 : transfer_cycles(id);
    if (duration < 0) {
      throw InternalError(
          fmt::format("schedule '{}': tensor {} takes {} cycles, expected 0 or more", schedule.name,
                      id, duration));
    }
    std::size_t resource = graph.programs.size();
    if (!is_local) {
      resource = channels.try_emplace({tensor.source, tensor.destination}, resource).first->second;
    }
    if (resource == graph.programs.size()) graph.programs.emplace_back();
    for (const contract::OpId producer : tensor.producers) {
      graph.tasks[producer].successors.push_back({graph.tasks.size(), 0});
    }
    for (const contract::TensorId part : tensor.parts) {
      graph.tasks[graph.ops + part].successors.push_back({graph.tasks.size(), 0});
    }
    graph.tasks.push_back({.cycles = duration,
                           .resource = resource,
                           .tokens_to_user = std::numeric_limits<std::int64_t>::max()});
  }
}

void add_edges(const contract::Schedule& schedule, std::int64_t minibatches, TaskGraph& graph) {
  for (const contract::Edge& edge : schedule.edges) {
    if (edge.tensor == contract::Edge::no_tensor) {
      graph.tasks[edge.from].successors.push_back({edge.to, edge.tokens});
      continue;
    }
    Task& transfer = graph.tasks[graph.ops + edge.tensor];
    transfer.successors.push_back({edge.to, edge.tokens});
    transfer.tokens_to_user = std::min(transfer.tokens_to_user, edge.tokens);
    transfer.instances = std::max(transfer.instances, minibatches - edge.tokens);
  }
}

/// What is a part of another tensor is needed when that one is.
void add_needs_of_parts(const contract::Schedule& schedule, TaskGraph& graph) {
  for (contract::TensorId id = schedule.tensors.size(); id-- > 0;) {
    const Task& whole = graph.tasks[graph.ops + id];
    for (const contract::TensorId part : schedule.tensors[id].parts) {
      Task& task = graph.tasks[graph.ops + part];
      task.tokens_to_user = std::min(task.tokens_to_user, whole.tokens_to_user);
      task.instances = std::max(task.instances, whole.instances);
    }
  }
}

/// Rounds k = 0, 1, ... of a static order: entry (op, lag) of round k is `op` of minibatch k - lag.
std::vector<Instance> unroll(const contract::StaticOrder& order, std::int64_t minibatches) {
  std::map<std::pair<std::int64_t, std::size_t>, Instance> by_round_and_entry;
  for (std::size_t i = 0; i < order.entries.size(); ++i) {
    const contract::StaticOrder::Entry& entry = order.entries[i];
    for (std::int64_t minibatch = 0; minibatch < minibatches; ++minibatch) {
      by_round_and_entry[{minibatch + entry.lag, i}] = {entry.op, minibatch};
    }
  }
  std::vector<Instance> program;
  program.reserve(by_round_and_entry.size());
  for (const auto& [key, instance] : by_round_and_entry) program.push_back(instance);
  return program;
}

void add_order(const contract::Order& order, costs::ProcessorId processor, std::int64_t minibatches,
               TaskGraph& graph) {
  if (const auto* fixed = std::get_if<contract::StaticOrder>(&order)) {
    graph.programs[processor] = unroll(*fixed, minibatches);
    return;
  }
  const auto& entries = std::get<contract::PriorityOrder>(order).entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    graph.tasks[entries[i].op].urgency = entries[i].urgency;
    graph.tasks[entries[i].op].position = i;
  }
}

}  // namespace

TaskGraph task_graph(const contract::Schedule& schedule, std::int64_t minibatches,
                     const TransferCycles& transfer_cycles) {
  check_graph(schedule);
  if (minibatches < 1) {
    throw InternalError(fmt::format("schedule '{}': {} minibatches, expected 1 or more",
                                    schedule.name, minibatches));
  }
  TaskGraph graph;
  graph.ops = schedule.ops.size();
  graph.processors = schedule.orders.size();
  graph.programs.resize(graph.processors);
  add_ops(schedule, minibatches, graph);
  add_transfers(schedule, transfer_cycles, graph);
  add_edges(schedule, minibatches, graph);
  add_needs_of_parts(schedule, graph);
  for (costs::ProcessorId processor = 0; processor < graph.processors; ++processor) {
    add_order(schedule.orders[processor], processor, minibatches, graph);
  }
  return graph;
}

}  // namespace layerpipe::theory
