#include "scheduler/allocation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace layerpipe::scheduler {

namespace {

/// From the tokens on the edges by which forward passes wait for updates.
Staleness staleness_of(const Schedule& schedule) {
  Staleness result(schedule.layer_names.size(), 0);
  for (const Edge& edge : schedule.edges) {
    if (edge.input != InputKind::weight_version) continue;
    for (const OpPart& part : schedule.ops[edge.to].parts) {
      if (part.kind == OpKind::forward) result.at(part.layer) = edge.tokens - 1;
    }
  }
  return result;
}

/// From the urgency of weight gradients. If there is none on a critical loop, both are the same.
Priority priority_of(const Schedule& schedule) {
  for (const Order& order : schedule.orders) {
    const auto* priorities = std::get_if<PriorityOrder>(&order);
    if (priorities == nullptr) continue;
    for (const PriorityOrder::Entry& entry : priorities->entries) {
      const bool is_first = entry.urgency == 0;
      const OpKind kind = schedule.ops[entry.op].parts.front().kind;
      if (is_first && kind == OpKind::weight_gradient) return Priority::critical_loop;
    }
  }
  return Priority::fixed;
}

}  // namespace

Allocation allocation_of(const Schedule& schedule) {
  Allocation allocation;
  allocation.split = schedule.split;
  allocation.delays = staleness_of(schedule);
  allocation.priority = priority_of(schedule);
  allocation.layers.resize(schedule.layer_names.size());
  for (const Op& op : schedule.ops) {
    for (const OpPart& part : op.parts) {
      if (part.kind == OpKind::forward) allocation.layers.at(part.layer).processor = op.processor;
    }
  }
  for (const Op& op : schedule.ops) {
    for (const OpPart& part : op.parts) {
      Placement& placement = allocation.layers.at(part.layer);
      if (part.kind != OpKind::input_gradient || op.processor == placement.processor) continue;
      placement.borrowed.push_back({op.processor, part.fraction, part.cycles});
    }
  }
  for (Placement& placement : allocation.layers) {
    std::ranges::sort(placement.borrowed, {}, &BorrowedPart::processor);
  }
  return allocation;
}

std::vector<ProcessorId> processors(const Allocation& allocation) {
  std::vector<ProcessorId> result;
  for (const Placement& placement : allocation.layers) result.push_back(placement.processor);
  return result;
}

double borrowed_fraction(const Placement& placement) {
  constexpr double rounding = 0x1p-50;  // no unit of an input gradient is as small
  double sum = 0.0;
  for (const BorrowedPart& part : placement.borrowed) sum += part.fraction;
  return sum > 1.0 - rounding ? 1.0 : sum;
}

std::int64_t whole_share(double fraction, std::int64_t whole) {
  constexpr double rounding = 1.0 + 0x1p-50;  // a fraction and a product, half an ulp each
  return std::min(whole, static_cast<std::int64_t>(
                             std::floor(fraction * static_cast<double>(whole) * rounding)));
}

Shares shares(const Placement& placement, std::int64_t bytes) {
  Shares result;
  result.kept = bytes;
  for (const BorrowedPart& part : placement.borrowed) {
    result.borrowed.push_back(whole_share(part.fraction, bytes));
    result.kept -= result.borrowed.back();
  }
  if (borrowed_fraction(placement) < 1.0) return result;
  result.borrowed.front() += std::exchange(result.kept, 0);
  return result;
}

std::vector<std::int64_t> borrowed_weight_bytes(const Placement& placement, std::int64_t bytes,
                                                Split split) {
  if (split == Split::batch) return std::vector(placement.borrowed.size(), bytes);
  return shares(placement, bytes).borrowed;
}

std::int64_t lacking_weightless_bytes(const Profile& profile, const Allocation& allocation,
                                      std::size_t layer, ProcessorId processor) {
  const LayerProfile& costs = profile.layers[layer];
  const std::size_t first_user = costs.borrower.value();
  const bool has_output = allocation.layers[first_user].processor == processor;
  return has_output ? costs.weightless_backward_bytes : costs.weightless_apart_bytes;
}

}  // namespace layerpipe::scheduler
