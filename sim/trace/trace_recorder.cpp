#include "sim/trace/trace_recorder.hpp"

namespace layerpipe::sim {

TraceRecorder::TraceRecorder(const scheduler::Schedule& schedule,
                             const std::optional<TraceWindow>& window)
    : window_(window),
      minibatches_(schedule),
      operation_started_(schedule.ops.size(), 0),
      transfer_started_(schedule.tensors.size(), 0) {
  if (!window_ || window_->first == 0) begin_ = 0;
}

void TraceRecorder::record(const Event& event) {
  switch (event.kind) {
    case EventKind::operation_started:
      operation_started_[event.id] = event.date;
      break;
    case EventKind::transfer_queued:
      break;
    case EventKind::transfer_started:
      transfer_started_[event.id] = event.date;
      break;
    case EventKind::operation_ended: {
      const OperationSlice slice{event.id, event.minibatch, operation_started_[event.id],
                                 event.date};
      if (!shows(slice.start, slice.end)) break;
      for (TraceWriter* writer : writers_) writer->operation(slice);
      break;
    }
    case EventKind::transfer_ended: {
      const TransferSlice slice{event.id, event.minibatch, event.queued,
                                transfer_started_[event.id], event.date};
      if (!shows(slice.start, slice.end)) break;
      for (TraceWriter* writer : writers_) writer->transfer(slice);
      break;
    }
    case EventKind::sum_completed:
      break;
  }
  if (window_ && minibatches_.record(event)) move_window(event);
}

void TraceRecorder::stalled(const StallInterval& stall) {
  if (!shows(stall.start, stall.end)) return;
  for (TraceWriter* writer : writers_) writer->stall(stall);
}

void TraceRecorder::move_window(const Event& event) {
  if (minibatches_.ended() == window_->first) begin_ = event.date;
  if (minibatches_.ended() == window_->last + 1) end_ = event.date;
}

bool TraceRecorder::shows(std::int64_t start, std::int64_t end) const {
  if (!begin_ || (end_ && start >= *end_)) return false;
  return end > *begin_ || start == *begin_;
}

void TraceRecorder::finish(const Result& result) {
  const TraceSpan span{begin_.value_or(result.makespan_cycles),
                       end_.value_or(result.makespan_cycles)};
  for (TraceWriter* writer : writers_) writer->finish(result, span);
}

}  // namespace layerpipe::sim
