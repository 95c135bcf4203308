#include "scheduler/allocation.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

Allocation allocation_of(const Schedule& schedule) {
  Allocation allocation;
  allocation.split = schedule.split;
  allocation.delays = staleness_of(schedule);
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
      placement.lent_fraction = part.fraction;
      placement.lent_cycles = part.cycles;
    }
  }
  return allocation;
}

std::vector<ProcessorId> processors(const Allocation& allocation) {
  std::vector<ProcessorId> result;
  for (const Placement& placement : allocation.layers) result.push_back(placement.processor);
  return result;
}

std::int64_t whole_share(double fraction, std::int64_t whole) {
  constexpr double rounding = 1.0 + 0x1p-50;  // a fraction and a product, half an ulp each
  return std::min(whole, static_cast<std::int64_t>(
                             std::floor(fraction * static_cast<double>(whole) * rounding)));
}

std::int64_t lent_bytes(double fraction, std::int64_t bytes) {
  return whole_share(fraction, bytes);
}

std::int64_t lent_weight_bytes(double fraction, std::int64_t bytes, Split split) {
  return split == Split::batch ? bytes : lent_bytes(fraction, bytes);
}

}  // namespace layerpipe::scheduler
