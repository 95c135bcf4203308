#include "sim/engine/execution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "workloads/base/error.hpp"

namespace layerpipe::engine {

using contract::OpId;
using costs::ProcessorId;

Execution::Execution(const contract::Schedule& schedule, const events::Channels& channels,
                     const std::vector<std::int64_t>& transfer_cycles, std::int64_t minibatches,
                     events::EventSink& sink)
    : schedule_(schedule),
      channel_of_tensor_(channels.of_tensor),
      transfer_cycles_(transfer_cycles),
      sink_(sink),
      marking_(schedule, minibatches),
      touched_processors_(schedule.orders.size()),
      touched_channels_(channels.channels.size()) {
  for (const contract::Order& order : schedule.orders) {
    processors_.push_back({make_order_rule(order, marking_), std::nullopt, 0});
  }
  for (std::size_t c = 0; c < channels.channels.size(); ++c) {
    channels_.push_back({TransferQueue(schedule), {}, std::nullopt});
  }
  changes_.ready = marking_.initially_ready();
  settle();
}

void Execution::advance(std::int64_t date) {
  constexpr std::int64_t last_exact_date = 100'000'000'000'000;
  if (date < date_) {
    throw InternalError(fmt::format("simulated time went back from {} to {}", date_, date));
  }
  if (date > last_exact_date) {
    throw InfeasibleError(
        "the run takes more than 10^14 cycles, the most that can be simulated exactly (use fewer "
        "iterations)");
  }
  date_ = date;
}

bool Execution::can_start_operation(ProcessorId processor) const {
  return !processors_[processor].running && processors_[processor].rule->next();
}

std::int64_t Execution::start_operation(ProcessorId processor) {
  Processor& state = processors_[processor];
  const OpId op = state.rule->next().value();
  state.minibatch = mark_started(state, op);
  state.running = op;
  distribute_changes();
  return marking_.cycles(op);
}

void Execution::end_operation(ProcessorId processor) {
  Processor& state = processors_[processor];
  const OpId op = state.running.value();
  state.running.reset();
  mark_ended(op, state.minibatch);
  touched_processors_.add(processor);
  settle();
}

bool Execution::can_start_transfer(std::size_t channel) const {
  return !channels_[channel].running && !channels_[channel].queue.empty();
}

Transfer Execution::start_transfer(std::size_t channel) {
  Channel& state = channels_[channel];
  state.running = state.queue.pop();
  mark_transfer_started(*state.running);
  return *state.running;
}

void Execution::end_transfer(std::size_t channel) {
  Channel& state = channels_[channel];
  const Transfer transfer = state.running.value();
  state.running.reset();
  mark_arrived(transfer);
  touched_channels_.add(channel);
  settle();
}

void Execution::take_touched(std::vector<ProcessorId>& processors,
                             std::vector<std::size_t>& channels) {
  touched_processors_.take(processors);
  touched_channels_.take(channels);
}

void Execution::shorten() {
  std::int64_t begun = marking_.begun();
  for (const Processor& processor : processors_) begun = std::max(begun, processor.rule->begun());
  marking_.shorten(begun);
}

void Execution::settle() {
  for (bool changed = true; changed;) {
    distribute_changes();
    changed = false;
    for (const ProcessorId p : touched_processors_.members()) {
      changed = execute_instant_operation(p) || changed;
    }
    for (const std::size_t c : touched_channels_.members()) {
      changed = deliver_instant_transfers(c) || changed;
    }
  }
}

void Execution::distribute_changes() {
  for (const Marking::Produced& sum : changes_.summed) {
    sink_.record({events::EventKind::sum_completed, date_, sum.tensor, sum.minibatch});
  }
  for (const OpId op : changes_.ready) {
    const ProcessorId processor = schedule_.ops[op].processor;
    processors_[processor].rule->became_ready(op);
    touched_processors_.add(processor);
  }
  for (const Marking::Produced& produced : changes_.produced) {
    const std::size_t channel = channel_of_tensor_[produced.tensor];
    const Transfer transfer{produced.tensor, produced.minibatch, date_};
    sink_.record(
        {events::EventKind::transfer_queued, date_, produced.tensor, produced.minibatch, date_});
    if (transfer_cycles_[produced.tensor] == 0) {
      channels_[channel].instant.push_back(transfer);
    } else {
      channels_[channel].queue.push(transfer);
    }
    touched_channels_.add(channel);
  }
  changes_.summed.clear();
  changes_.ready.clear();
  changes_.produced.clear();
}

bool Execution::execute_instant_operation(ProcessorId processor) {
  Processor& state = processors_[processor];
  if (state.running) return false;
  const std::optional<OpId> op = state.rule->next_instant();
  if (!op) return false;
  mark_ended(*op, mark_started(state, *op));
  return true;
}

bool Execution::deliver_instant_transfers(std::size_t channel) {
  Channel& state = channels_[channel];
  if (state.running || state.instant.empty()) return false;
  for (const Transfer& transfer : std::exchange(state.instant, {})) {
    mark_transfer_started(transfer);
    mark_arrived(transfer);
  }
  return true;
}

std::int64_t Execution::mark_started(Processor& processor, OpId op) {
  const std::int64_t minibatch = marking_.next_minibatch(op);
  sink_.record({events::EventKind::operation_started, date_, op, minibatch});
  processor.rule->started(op);
  marking_.start(op, changes_);
  return minibatch;
}

void Execution::mark_ended(OpId op, std::int64_t minibatch) {
  sink_.record({events::EventKind::operation_ended, date_, op, minibatch});
  marking_.end(op, changes_);
}

void Execution::mark_transfer_started(const Transfer& transfer) {
  sink_.record({events::EventKind::transfer_started, date_, transfer.tensor, transfer.minibatch,
                transfer.queued});
}

void Execution::mark_arrived(const Transfer& transfer) {
  sink_.record({events::EventKind::transfer_ended, date_, transfer.tensor, transfer.minibatch,
                transfer.queued});
  marking_.arrive(transfer.tensor, changes_);
}

void Execution::TouchedSet::add(std::size_t index) {
  if (contains_[index]) return;
  contains_[index] = true;
  members_.push_back(index);
}

void Execution::TouchedSet::take(std::vector<std::size_t>& members) {
  for (const std::size_t index : members_) contains_[index] = false;
  members.clear();
  std::swap(members, members_);
}

}  // namespace layerpipe::engine
