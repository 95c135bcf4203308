#include "sim/engine/deadlock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

namespace layerpipe::engine {

namespace {

using contract::OpId;
using contract::PriorityOrder;
using contract::StaticOrder;
using costs::ProcessorId;

std::string describe(const contract::Schedule& schedule, OpId op, std::int64_t minibatch) {
  const contract::OpPart& part = schedule.ops[op].parts.front();
  const std::string micro_batch =
      schedule.micro_batches > 1 ? fmt::format(", micro-batch {}", part.micro_batch) : "";
  return fmt::format("{} of {}, minibatch {}{}", to_string(part.kind),
                     schedule.layer_names[part.layer], minibatch, micro_batch);
}

bool is_finished(const Marking& marking, OpId op) {
  return marking.next_minibatch(op) == marking.minibatches();
}

/// The entry of the list that the processor has come to.
std::optional<OpId> next_of(const StaticOrder& order, const Marking& marking) {
  const auto round = [&](const StaticOrder::Entry& entry) {
    return is_finished(marking, entry.op) ? std::numeric_limits<std::int64_t>::max()
                                          : marking.next_minibatch(entry.op) + entry.lag;
  };
  const auto next = std::ranges::min_element(order.entries, {}, round);
  if (next == order.entries.end() || is_finished(marking, next->op)) return std::nullopt;
  return next->op;
}

/// The operation of the oldest minibatch that is left, the first one of the schedule among several.
std::optional<OpId> next_of(const PriorityOrder& order, const Marking& marking) {
  const auto age = [&](const PriorityOrder::Entry& entry) {
    return std::pair{marking.next_minibatch(entry.op), entry.op};
  };
  const auto next = std::ranges::min_element(order.entries, {}, age);
  if (next == order.entries.end() || is_finished(marking, next->op)) return std::nullopt;
  return next->op;
}

}  // namespace

std::string describe_deadlock(const contract::Schedule& schedule, const machine::Machine& machine,
                              const Marking& marking) {
  std::string text = fmt::format("schedule {} came to a stop", schedule.name);
  const char* separator = ": ";
  for (ProcessorId p = 0; p < schedule.orders.size(); ++p) {
    const std::optional<OpId> op =
        std::visit([&](const auto& order) { return next_of(order, marking); }, schedule.orders[p]);
    const contract::Edge* const awaited = op ? marking.awaited(*op) : nullptr;
    if (awaited == nullptr) continue;
    const std::int64_t minibatch = marking.next_minibatch(*op);
    text += fmt::format("{}{} waits in {} for {} on {}", separator, machine.processors[p],
                        describe(schedule, *op, minibatch),
                        describe(schedule, awaited->from, minibatch - awaited->tokens),
                        machine.processors[schedule.ops[awaited->from].processor]);
    separator = "; ";
  }
  return text;
}

}  // namespace layerpipe::engine
