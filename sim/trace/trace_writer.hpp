#pragma once

#include <cstdint>

#include "platforms/machine.hpp"
#include "scheduler/schedule.hpp"
#include "sim/channel.hpp"
#include "sim/metrics/result.hpp"
#include "sim/metrics/stalls.hpp"

namespace layerpipe::sim {

/// What a trace is of. All of it outlives the trace.
struct TraceSubject {
  const platforms::Machine& machine;
  const scheduler::Schedule& schedule;
  const Channels& channels;
};

/// An operation of one minibatch, from `start` to `end`; dates in cycles.
struct OperationSlice {
  scheduler::OpId op = 0;
  std::int64_t minibatch = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// A transfer, queued since `queued`; `minibatch` is the one that will use it first.
struct TransferSlice {
  scheduler::TensorId tensor = 0;
  std::int64_t minibatch = 0;
  std::int64_t queued = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// The part of a run that a trace shows: the whole, or a window of it.
struct TraceSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Writes a run in one format, to a stream that it is made with, while it happens: nothing is kept
/// for longer than it is under way, unless the format says so. It is told slices when they end; so
/// those of one processor or channel come in order of time, and never overlap. Operations and
/// stalls of a processor leave no gap. A failure of the stream stays in its state, for the caller
/// to look at.
class TraceWriter {
 public:
  virtual ~TraceWriter() = default;

  virtual void operation(const OperationSlice& slice) = 0;
  virtual void transfer(const TransferSlice& slice) = 0;
  virtual void stall(const StallInterval& slice) = 0;

  /// Writes what stands at the end. Nothing may be told afterwards.
  virtual void finish(const Result& result, const TraceSpan& span) = 0;
};

}  // namespace layerpipe::sim
