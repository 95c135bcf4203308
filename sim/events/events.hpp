#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace layerpipe::events {

enum class EventKind {
  operation_started,
  operation_ended,
  transfer_queued,  ///< complete, and ready to be sent
  transfer_started,
  transfer_ended,
  sum_completed,  ///< a local tensor: its last part is there
};

/// Something that happened in a run. Events come in order of their dates.
struct Event {
  EventKind kind = EventKind::operation_started;
  std::int64_t date = 0;       ///< cycles since the start of the run
  std::size_t id = 0;          ///< OpId or TensorId
  std::int64_t minibatch = 0;  ///< of the operation, or the one that will use the tensor first
  std::int64_t queued = 0;  ///< transfers only: the date at which the tensor was ready to be sent
};

/// What is left of the network flows at one date: per channel, the cycles that its flow would still
/// take if it were alone from here on, latency left out. 0 where there is none.
using FlowsLeft = std::function<std::vector<double>()>;

/// Consumes the events of one run: a metric or a trace.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void record(const Event& event) = 0;
  /// All events before the date `next`, at which there are some, have been recorded, and none of
  /// it. `flows` may be called until this returns.
  virtual void date_over(std::int64_t /*next*/, const FlowsLeft& /*flows*/) {}
};

}  // namespace layerpipe::events
