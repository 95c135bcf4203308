#include "sim/metrics/stalls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/base/error.hpp"

namespace layerpipe::sim {

namespace {

using scheduler::Edge;
using scheduler::InputKind;

int precedence(InputKind kind) {
  switch (kind) {
    case InputKind::gradient:
      return 0;
    case InputKind::activation:
      return 1;
    case InputKind::weights:
      return 2;
    case InputKind::weight_version:
      return 3;
  }
  return 4;
}

std::int64_t& cause(StallCycles& stalls, InputKind kind) {
  switch (kind) {
    case InputKind::activation:
      return stalls.activation;
    case InputKind::gradient:
      return stalls.gradient;
    case InputKind::weights:
      return stalls.weights;
    case InputKind::weight_version:
      break;
  }
  return stalls.weight_version;
}

}  // namespace

std::int64_t total(const StallCycles& stalls) {
  return stalls.fill + stalls.activation + stalls.gradient + stalls.weights +
         stalls.weight_version + stalls.channel + stalls.drain;
}

StallAccount::StallAccount(const scheduler::Schedule& schedule)
    : schedule_(schedule),
      inputs_(schedule.ops.size()),
      ended_(schedule.ops.size(), -1),
      arrivals_(schedule.tensors.size()),
      started_(schedule.tensors.size(), 0),
      processors_(schedule.orders.size()) {
  for (std::size_t e = 0; e < schedule.edges.size(); ++e) {
    inputs_[schedule.edges[e].to].push_back(e);
  }
}

void StallAccount::record(const Event& event) {
  switch (event.kind) {
    case EventKind::operation_started: {
      ProcessorState& processor = processors_[schedule_.ops[event.id].processor];
      end_interval(processor, event.id, event.date);
      processor.busy_since = event.date;
      break;
    }
    case EventKind::operation_ended: {
      ProcessorState& processor = processors_[schedule_.ops[event.id].processor];
      processor.use.busy += event.date - processor.busy_since;
      processor.idle_since = event.date;
      ended_[event.id] = event.date;
      break;
    }
    case EventKind::transfer_started:
      started_[event.id] = event.date;
      break;
    case EventKind::transfer_ended:
      arrivals_[event.id] = {event.queued, started_[event.id], event.date};
      break;
    case EventKind::sum_completed:
      arrivals_[event.id] = arrival_of_last_part(schedule_.tensors[event.id]);
      break;
  }
}

void StallAccount::end_interval(ProcessorState& processor, scheduler::OpId op, std::int64_t date) {
  const std::int64_t idle = date - processor.idle_since;
  StallCycles& stalls = processor.use.stalls;
  if (!processor.has_executed) {
    stalls.fill = idle;
    processor.has_executed = true;
  } else if (idle > 0) {
    const Edge& input = last_input(op, date);
    const Arrival last = arrival(input);
    const std::int64_t in_queue =
        std::max<std::int64_t>(0, last.started - std::max(last.queued, processor.idle_since));
    stalls.channel += in_queue;
    cause(stalls, input.input) += idle - in_queue;
  }
}

const Edge& StallAccount::last_input(scheduler::OpId op, std::int64_t date) const {
  const Edge* last = nullptr;
  for (const std::size_t e : inputs_[op]) {
    const Edge& edge = schedule_.edges[e];
    if (arrival(edge).date != date) continue;
    if (last == nullptr || precedence(edge.input) < precedence(last->input)) last = &edge;
  }
  if (last == nullptr) {
    throw InternalError(fmt::format(
        "at {} an operation starts on an idle processor although nothing has arrived for it",
        date));
  }
  return *last;
}

StallAccount::Arrival StallAccount::arrival(const Edge& edge) const {
  return edge.tensor == Edge::no_tensor ? made_here(edge.from) : arrivals_[edge.tensor];
}

StallAccount::Arrival StallAccount::arrival_of_last_part(const scheduler::Tensor& sum) const {
  Arrival last;
  const auto take_later = [&last](const Arrival& other) {
    if (other.date > last.date) last = other;
  };
  for (const scheduler::OpId op : sum.producers) take_later(made_here(op));
  for (const scheduler::TensorId part : sum.parts) take_later(arrivals_[part]);
  return last;
}

StallAccount::Arrival StallAccount::made_here(scheduler::OpId op) const {
  return {ended_[op], ended_[op], ended_[op]};
}

std::vector<TimeUse> StallAccount::time_use(std::int64_t makespan) const {
  std::vector<TimeUse> result;
  for (const ProcessorState& processor : processors_) {
    TimeUse use = processor.use;
    use.stalls.drain = makespan - processor.idle_since;
    if (use.busy + total(use.stalls) != makespan) {
      throw InternalError(fmt::format("busy and stalled cycles sum to {} instead of {}",
                                      use.busy + total(use.stalls), makespan));
    }
    result.push_back(use);
  }
  return result;
}

}  // namespace layerpipe::sim
