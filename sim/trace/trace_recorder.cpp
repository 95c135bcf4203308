#include "sim/trace/trace_recorder.hpp"

#include <algorithm>

namespace layerpipe::trace {

std::int64_t least_minibatches_shown(const std::optional<TraceWindow>& window,
                                     std::int64_t iterations, bool may_stop_early) {
  if (window) return window->last - window->first + 1;
  return may_stop_early ? 1 : iterations;
}

TraceRecorder::TraceRecorder(const contract::Schedule& schedule, const events::Channels& channels,
                             const std::optional<TraceWindow>& window)
    : schedule_(schedule),
      window_(window),
      minibatches_(schedule),
      links_(schedule, channels),
      operation_started_(schedule.ops.size(), 0),
      transfer_started_(schedule.tensors.size(), 0),
      is_under_way_(schedule.tensors.size(), false),
      is_used_(schedule.orders.size(), false),
      since_(schedule.orders.size(), 0) {
  if (!window_ || window_->first == 0) begin_ = 0;
  for (const contract::Op& op : schedule.ops) is_used_[op.processor] = true;
}

void TraceRecorder::record(const events::Event& event) {
  date_ = event.date;
  switch (event.kind) {
    case events::EventKind::operation_started:
      operation_started_[event.id] = event.date;
      since_[schedule_.ops[event.id].processor] = event.date;
      break;
    case events::EventKind::operation_ended:
      operation_ended(event);
      break;
    case events::EventKind::transfer_started:
      transfer_started_[event.id] = event.date;
      is_under_way_[event.id] = true;
      break;
    case events::EventKind::transfer_ended:
      transfer_ended(event);
      break;
    case events::EventKind::transfer_queued:
    case events::EventKind::sum_completed:
      break;
  }
  if (minibatches_.record(event)) minibatch_ended(event.date);
  // Looking at all processors and tensors costs little if it is done once for as many events.
  constexpr std::size_t at_least = 256;
  if (++events_ >= at_least + since_.size() + is_under_way_.size()) settle();
}

void TraceRecorder::date_over(std::int64_t /*next*/, const events::FlowsLeft& /*flows*/) {
  tell_memory();
}

void TraceRecorder::tell_memory() {
  if (memory_ == nullptr || !shows(date_, date_)) return;
  if (told_.empty()) {
    told_.resize(since_.size());
    for (costs::ProcessorId p = 0; p < told_.size(); ++p) tell_memory_of(p);
  }
  for (const costs::ProcessorId p : memory_->changed()) {
    const metrics::MemoryBytes& now = memory_->now(p);
    const bool is_known =
        told_[p].weight_bytes == now.weights && told_[p].activation_bytes == now.activations;
    if (!is_known) tell_memory_of(p);
  }
}

void TraceRecorder::tell_memory_of(costs::ProcessorId processor) {
  const metrics::MemoryBytes& now = memory_->now(processor);
  told_[processor] = {processor, date_, now.weights, now.activations};
  for (TraceWriter* writer : writers_) writer->memory_use(told_[processor]);
}

void TraceRecorder::operation_ended(const events::Event& event) {
  since_[schedule_.ops[event.id].processor] = event.date;
  const OperationSlice slice{event.id, event.minibatch, operation_started_[event.id], event.date};
  if (!shows(slice.start, slice.end)) return;
  for (TraceWriter* writer : writers_) writer->operation(slice);
}

void TraceRecorder::transfer_ended(const events::Event& event) {
  is_under_way_[event.id] = false;
  links_.arrived(event.id);
  const TransferSlice slice{event.id, event.minibatch, event.queued, transfer_started_[event.id],
                            event.date};
  if (!shows(slice.start, slice.end)) return;
  for (TraceWriter* writer : writers_) writer->transfer(slice);
}

void TraceRecorder::stalled(const metrics::StallInterval& stall) {
  if (!shows(stall.start, stall.end)) return;
  for (TraceWriter* writer : writers_) writer->stall(stall);
}

void TraceRecorder::minibatch_ended(std::int64_t date) {
  for (const LinkUse& use : links_.minibatch_ended(date)) {
    if (!shows(use.start, use.end)) continue;
    for (TraceWriter* writer : writers_) writer->link_use(use);
  }
  if (!window_) return;
  if (minibatches_.ended() == window_->first) {
    begin_ = date;
    for (TraceWriter* writer : writers_) writer->begins(date);
  }
  if (minibatches_.ended() == window_->last + 1) end_ = date;
}

/// What is told later has started since the last start or end on its processor, with its transfer,
/// or when the last minibatch ended.
void TraceRecorder::settle() {
  events_ = 0;
  std::int64_t date = links_.since();
  for (std::size_t p = 0; p < since_.size(); ++p) {
    if (is_used_[p]) date = std::min(date, since_[p]);
  }
  for (std::size_t t = 0; t < is_under_way_.size(); ++t) {
    if (is_under_way_[t]) date = std::min(date, transfer_started_[t]);
  }
  for (TraceWriter* writer : writers_) writer->settled(date);
}

bool TraceRecorder::shows(std::int64_t start, std::int64_t end) const {
  if (!begin_ || (end_ && start >= *end_)) return false;
  return end > *begin_ || start == *begin_;
}

void TraceRecorder::finish(const metrics::Result& result) {
  tell_memory();
  const TraceSpan span{begin_.value_or(result.makespan_cycles),
                       end_.value_or(result.makespan_cycles)};
  for (TraceWriter* writer : writers_) writer->finish(result, span);
}

}  // namespace layerpipe::trace
