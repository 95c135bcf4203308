#include "scheduler/contract/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "workloads/base/error.hpp"

namespace layerpipe::contract {

std::int64_t cycles(const Op& op) {
  std::int64_t sum = 0;
  for (const OpPart& part : op.parts) sum += part.cycles;
  return sum;
}

std::string describe(const Schedule& schedule, OpId op) {
  const std::vector<OpPart>& parts = schedule.ops.at(op).parts;
  if (parts.empty()) return fmt::format("op {}", op);
  const std::size_t layer = parts.front().layer;
  const std::string name = layer < schedule.layer_names.size() ? schedule.layer_names[layer]
                                                               : fmt::format("layer {}", layer);
  const std::string more = parts.size() == 1 ? ""
                                             : fmt::format(" and {} more part{}", parts.size() - 1,
                                                           parts.size() == 2 ? "" : "s");
  return fmt::format("op {} ({} of {}{})", op, to_string(parts.front().kind), name, more);
}

void fail(const Schedule& schedule, const std::string& what) {
  throw InternalError(fmt::format("schedule '{}': {}", schedule.name, what));
}

std::vector<OpId> origins(const Schedule& schedule, TensorId tensor) {
  std::set<OpId> ops;
  std::set<TensorId> seen{tensor};
  for (std::vector<TensorId> left{tensor}; !left.empty();) {
    const Tensor& next = schedule.tensors.at(left.back());
    left.pop_back();
    ops.insert(next.producers.begin(), next.producers.end());
    for (const TensorId part : next.parts) {
      if (seen.insert(part).second) left.push_back(part);
    }
  }
  return {ops.begin(), ops.end()};
}

std::vector<std::int64_t> least_tokens(const Schedule& schedule, std::int64_t limit) {
  std::vector<std::int64_t> tokens(schedule.tensors.size(), limit);
  for (const Edge& edge : schedule.edges) {
    if (edge.tensor == Edge::no_tensor) continue;
    tokens[edge.tensor] = std::min(tokens[edge.tensor], edge.tokens);
  }
  for (TensorId whole = tokens.size(); whole-- > 0;) {  // parts have lower ids
    for (const TensorId part : schedule.tensors[whole].parts) {
      tokens[part] = std::min(tokens[part], tokens[whole]);
    }
  }
  return tokens;
}

std::vector<std::int64_t> processor_cycles(const Schedule& schedule) {
  std::vector<std::int64_t> sums(schedule.orders.size(), 0);
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    sums.at(schedule.ops[op].processor) += cycles(schedule.ops[op]);
  }
  return sums;
}

std::int64_t slowest_processor_cycles(const Schedule& schedule) {
  const std::vector<std::int64_t> sums = processor_cycles(schedule);
  return sums.empty() ? 0 : std::ranges::max(sums);
}

}  // namespace layerpipe::contract
