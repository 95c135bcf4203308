#include "scheduler/contract/allocation_of.hpp"

#include <algorithm>
#include <variant>

namespace layerpipe::contract {

namespace {

/// From the tokens on the edges by which forward passes wait for updates.
placement::Staleness staleness_of(const Schedule& schedule) {
  placement::Staleness result(schedule.layer_names.size(), 0);
  for (const Edge& edge : schedule.edges) {
    if (edge.input != InputKind::weight_version) continue;
    for (const OpPart& part : schedule.ops[edge.to].parts) {
      if (part.kind == costs::OpKind::forward) result.at(part.layer) = edge.tokens - 1;
    }
  }
  return result;
}

/// From the urgency of weight gradients. If there is none on a critical loop, both are the same.
placement::Priority priority_of(const Schedule& schedule) {
  for (const Order& order : schedule.orders) {
    const auto* priorities = std::get_if<PriorityOrder>(&order);
    if (priorities == nullptr) continue;
    for (const PriorityOrder::Entry& entry : priorities->entries) {
      const bool is_first = entry.urgency == 0;
      const costs::OpKind kind = schedule.ops[entry.op].parts.front().kind;
      if (is_first && kind == costs::OpKind::weight_gradient)
        return placement::Priority::critical_loop;
    }
  }
  return placement::Priority::fixed;
}

}  // namespace

placement::Allocation allocation_of(const Schedule& schedule) {
  placement::Allocation allocation;
  allocation.split = schedule.split;
  allocation.delays = staleness_of(schedule);
  allocation.priority = priority_of(schedule);
  allocation.layers.resize(schedule.layer_names.size());
  for (const Op& op : schedule.ops) {
    for (const OpPart& part : op.parts) {
      if (part.kind == costs::OpKind::forward && part.micro_batch == 0)
        allocation.layers.at(part.layer).processor = op.processor;
    }
  }
  for (const Op& op : schedule.ops) {
    for (const OpPart& part : op.parts) {
      placement::Placement& placement = allocation.layers.at(part.layer);
      const bool is_borrowed = part.kind == costs::OpKind::input_gradient &&
                               part.micro_batch == 0 && op.processor != placement.processor;
      if (!is_borrowed) continue;
      placement.borrowed.push_back({op.processor, part.fraction, part.cycles});
    }
  }
  for (placement::Placement& placement : allocation.layers) {
    std::ranges::sort(placement.borrowed, {}, &placement::BorrowedPart::processor);
  }
  return allocation;
}

}  // namespace layerpipe::contract
