#pragma once

#include <cstdint>
#include <optional>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "sim/events/channel.hpp"
#include "sim/metrics/result.hpp"
#include "sim/metrics/stalls.hpp"
#include "sim/process/provenance.hpp"

namespace layerpipe::trace {

/// What a trace is of. All of it outlives the trace.
struct TraceSubject {
  const machine::Machine& machine;
  const contract::Schedule& schedule;
  const events::Channels& channels;
  std::optional<process::Provenance> provenance =
      std::nullopt;  ///< written with it, if there is one
};

/// An operation of one minibatch, from `start` to `end`; dates in cycles.
struct OperationSlice {
  contract::OpId op = 0;
  std::int64_t minibatch = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// A transfer, queued since `queued`; `minibatch` is the one that will use it first.
struct TransferSlice {
  contract::TensorId tensor = 0;
  std::int64_t minibatch = 0;
  std::int64_t queued = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// What a link carried from the end of one minibatch, at `start`, to the end of the next, at `end`:
/// `bytes` of the transfers that arrived in this time, which is never empty.
struct LinkUse {
  std::size_t link = 0;  ///< of the machine
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t bytes = 0;
};

/// What a processor holds from `date` on.
struct MemoryUse {
  costs::ProcessorId processor = 0;
  std::int64_t date = 0;
  std::int64_t weight_bytes = 0;
  std::int64_t activation_bytes = 0;
};

/// Bytes over what the link can carry in the time.
[[nodiscard]] double busy_fraction(const LinkUse& use, const machine::Machine& machine);

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

  /// Told before all else if what the trace shows begins at a date later than the run. A format for
  /// viewers counts its own dates from there.
  virtual void begins(std::int64_t /*date*/) {}

  virtual void operation(const OperationSlice& slice) = 0;
  virtual void transfer(const TransferSlice& slice) = 0;
  virtual void stall(const metrics::StallInterval& slice) = 0;

  /// Told for every link that the schedule uses when a minibatch ends, in order of time.
  virtual void link_use(const LinkUse& /*use*/) {}

  /// Told where one of the two changes, in order of time; of each processor first at the beginning
  /// of what the trace shows.
  virtual void memory_use(const MemoryUse& /*use*/) {}

  /// Now and then, for those that write in order of time: nothing that is told from now on starts
  /// before `date`, but for the drain of processors without operations.
  virtual void settled(std::int64_t /*date*/) {}

  /// Writes what stands at the end. Nothing may be told afterwards.
  virtual void finish(const metrics::Result& result, const TraceSpan& span) = 0;
};

}  // namespace layerpipe::trace
