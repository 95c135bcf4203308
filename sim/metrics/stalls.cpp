#include "sim/metrics/stalls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "workloads/base/error.hpp"

namespace layerpipe::metrics {

namespace {

using contract::Edge;
using contract::InputKind;

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

StallCause cause_of(InputKind kind) {
  switch (kind) {
    case InputKind::activation:
      return StallCause::activation;
    case InputKind::gradient:
      return StallCause::gradient;
    case InputKind::weights:
      return StallCause::weights;
    case InputKind::weight_version:
      break;
  }
  return StallCause::weight_version;
}

}  // namespace

std::string_view to_string(StallCause cause) {
  switch (cause) {
    case StallCause::fill:
      return "fill";
    case StallCause::activation:
      return "activation";
    case StallCause::gradient:
      return "gradient";
    case StallCause::weights:
      return "weights";
    case StallCause::weight_version:
      return "weight_version";
    case StallCause::channel:
      return "channel";
    case StallCause::sharing:
      return "sharing";
    case StallCause::drain:
      return "drain";
  }
  throw InternalError("unknown cause of a stall");
}

std::int64_t& of_cause(StallCycles& stalls, StallCause cause) {
  switch (cause) {
    case StallCause::fill:
      return stalls.fill;
    case StallCause::activation:
      return stalls.activation;
    case StallCause::gradient:
      return stalls.gradient;
    case StallCause::weights:
      return stalls.weights;
    case StallCause::weight_version:
      return stalls.weight_version;
    case StallCause::channel:
      return stalls.channel;
    case StallCause::sharing:
      return stalls.sharing;
    case StallCause::drain:
      return stalls.drain;
  }
  throw InternalError("unknown cause of a stall");
}

std::int64_t total(const StallCycles& stalls) {
  return stalls.fill + stalls.activation + stalls.gradient + stalls.weights +
         stalls.weight_version + stalls.channel + stalls.sharing + stalls.drain;
}

StallAccount::StallAccount(const contract::Schedule& schedule,
                           std::vector<std::int64_t> cycles_alone)
    : schedule_(schedule),
      cycles_alone_(std::move(cycles_alone)),
      inputs_(schedule.ops.size()),
      ended_(schedule.ops.size(), -1),
      arrivals_(schedule.tensors.size()),
      started_(schedule.tensors.size(), 0),
      processors_(schedule.orders.size()) {
  for (std::size_t e = 0; e < schedule.edges.size(); ++e) {
    inputs_[schedule.edges[e].to].push_back(e);
  }
}

void StallAccount::record(const events::Event& event) {
  switch (event.kind) {
    case events::EventKind::operation_started: {
      ProcessorState& processor = processors_[schedule_.ops[event.id].processor];
      end_interval(event.id, event.date);
      processor.busy_since = event.date;
      break;
    }
    case events::EventKind::operation_ended: {
      ProcessorState& processor = processors_[schedule_.ops[event.id].processor];
      processor.use.busy += event.date - processor.busy_since;
      processor.idle_since = event.date;
      ended_[event.id] = event.date;
      break;
    }
    case events::EventKind::transfer_queued:
      break;
    case events::EventKind::transfer_started:
      started_[event.id] = event.date;
      break;
    case events::EventKind::transfer_ended:
      arrivals_[event.id] = arrival_of_transfer(event);
      break;
    case events::EventKind::sum_completed:
      arrivals_[event.id] = arrival_of_last_part(schedule_.tensors[event.id]);
      break;
  }
}

void StallAccount::end_interval(contract::OpId op, std::int64_t date) {
  const costs::ProcessorId id = schedule_.ops[op].processor;
  ProcessorState& processor = processors_[id];
  const std::int64_t idle_since = processor.idle_since;
  if (!processor.has_executed) {
    processor.has_executed = true;
    account({id, StallCause::fill, idle_since, date});
  } else if (date > idle_since) {
    const Edge& input = last_input(op, date);
    const Arrival last = arrival(input);
    const std::int64_t started = std::max(last.started, idle_since);
    const std::int64_t queued = std::clamp(last.queued, idle_since, started);
    const std::int64_t alone = std::clamp(last.alone, started, date);
    const bool has_queued = queued < started;
    if (has_queued) account({id, cause_of(input.input), idle_since, queued});
    account({id, StallCause::channel, queued, started});
    account({id, cause_of(input.input), has_queued ? started : idle_since, alone});
    account({id, StallCause::sharing, alone, date});
  }
}

void StallAccount::account(const StallInterval& stall) {
  if (stall.start == stall.end) return;
  of_cause(processors_[stall.processor].use.stalls, stall.cause) += stall.end - stall.start;
  for (StallListener* listener : listeners_) listener->stalled(stall);
}

void StallAccount::finish(std::int64_t makespan) const {
  for (costs::ProcessorId p = 0; p < processors_.size(); ++p) {
    const std::int64_t start = processors_[p].idle_since;
    if (start >= makespan) continue;
    for (StallListener* listener : listeners_) {
      listener->stalled({p, StallCause::drain, start, makespan});
    }
  }
}

const Edge& StallAccount::last_input(contract::OpId op, std::int64_t date) const {
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

StallAccount::Arrival StallAccount::arrival_of_last_part(const contract::Tensor& sum) const {
  Arrival last;
  const auto take_later = [&last](const Arrival& other) {
    if (other.date > last.date) last = other;
  };
  for (const contract::OpId op : sum.producers) take_later(made_here(op));
  for (const contract::TensorId part : sum.parts) take_later(arrivals_[part]);
  return last;
}

StallAccount::Arrival StallAccount::arrival_of_transfer(const events::Event& event) const {
  const std::int64_t started = started_[event.id];
  const std::int64_t alone =
      cycles_alone_.empty() ? event.date : std::min(event.date, started + cycles_alone_[event.id]);
  return {event.queued, started, alone, event.date};
}

StallAccount::Arrival StallAccount::made_here(contract::OpId op) const {
  return {ended_[op], ended_[op], ended_[op], ended_[op]};
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

}  // namespace layerpipe::metrics
