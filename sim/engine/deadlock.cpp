#include "sim/engine/deadlock.hpp"

#include <fmt/format.h>

#include <optional>

namespace layerpipe::sim {

namespace {

using scheduler::OpId;
using scheduler::ProcessorId;

std::string describe(const scheduler::Schedule& schedule, OpId op, std::int64_t minibatch) {
  const scheduler::OpPart& part = schedule.ops[op].parts.front();
  return fmt::format("{} of {}, minibatch {}", to_string(part.kind),
                     schedule.layer_names[part.layer], minibatch);
}

std::optional<OpId> oldest_unfinished(const scheduler::Schedule& schedule, const Marking& marking,
                                      ProcessorId processor) {
  std::optional<OpId> oldest;
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    const bool is_candidate = schedule.ops[op].processor == processor &&
                              marking.next_minibatch(op) < marking.minibatches() &&
                              marking.awaited(op) != nullptr;
    if (!is_candidate) continue;
    if (!oldest || marking.next_minibatch(op) < marking.next_minibatch(*oldest)) oldest = op;
  }
  return oldest;
}

}  // namespace

std::string describe_deadlock(const scheduler::Schedule& schedule,
                              const platforms::Machine& machine, const Marking& marking) {
  std::string text = fmt::format("schedule {} came to a stop", schedule.name);
  const char* separator = ": ";
  for (ProcessorId p = 0; p < schedule.orders.size(); ++p) {
    const std::optional<OpId> op = oldest_unfinished(schedule, marking, p);
    if (!op) continue;
    const scheduler::Edge& edge = *marking.awaited(*op);
    const std::int64_t minibatch = marking.next_minibatch(*op);
    text += fmt::format("{}{} waits in {} for {} on {}", separator, machine.processors[p],
                        describe(schedule, *op, minibatch),
                        describe(schedule, edge.from, minibatch - edge.tokens),
                        machine.processors[schedule.ops[edge.from].processor]);
    separator = "; ";
  }
  return text;
}

}  // namespace layerpipe::sim
