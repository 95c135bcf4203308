#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/events/events.hpp"
#include "sim/metrics/live_memory.hpp"
#include "sim/metrics/minibatch_ends.hpp"
#include "sim/trace/link_load.hpp"
#include "sim/trace/trace_writer.hpp"

namespace layerpipe::trace {

/// Minibatches `first` to `last`, both included: the time from the end of the minibatch before
/// `first` (the start of the run, if there is none) to the end of `last`, which in the steady state
/// is one period for each of them.
struct TraceWindow {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Minibatches that traces show for certain of a run of `iterations`, or of fewer if it may stop
/// early.
[[nodiscard]] std::int64_t least_minibatches_shown(const std::optional<TraceWindow>& window,
                                                   std::int64_t iterations, bool may_stop_early);

/// Makes slices of the events of a run, and tells them to writers. With a window, only those that
/// lie in it at least in part; they are not cut. To be the listener of a StallAccount that is told
/// each event first.
class TraceRecorder final : public events::EventSink, public metrics::StallListener {
 public:
  TraceRecorder(const contract::Schedule& schedule, const events::Channels& channels,
                const std::optional<TraceWindow>& window);

  /// `writer` must outlive the run.
  void add(TraceWriter& writer) { writers_.push_back(&writer); }

  [[nodiscard]] bool has_writers() const { return !writers_.empty(); }

  /// Tells writers what processors hold, too. `memory` is told each event first.
  void watch(const metrics::LiveMemory& memory) { memory_ = &memory; }

  void record(const events::Event& event) override;
  void date_over(std::int64_t next, const events::FlowsLeft& flows) override;
  void stalled(const metrics::StallInterval& stall) override;

  /// Finishes all writers.
  void finish(const metrics::Result& result);

 private:
  void operation_ended(const events::Event& event);
  void transfer_ended(const events::Event& event);
  void minibatch_ended(std::int64_t date);
  void settle();
  void tell_memory();
  void tell_memory_of(costs::ProcessorId processor);
  [[nodiscard]] bool shows(std::int64_t start, std::int64_t end) const;

  const contract::Schedule& schedule_;
  std::vector<TraceWriter*> writers_;
  std::optional<TraceWindow> window_;
  metrics::MinibatchEnds minibatches_;
  LinkLoad links_;
  std::optional<std::int64_t> begin_;  ///< of the window, once it has been reached
  std::optional<std::int64_t> end_;
  std::vector<std::int64_t> operation_started_;  ///< [op]
  std::vector<std::int64_t> transfer_started_;   ///< [tensor]
  std::vector<bool> is_under_way_;               ///< [tensor]
  std::vector<bool> is_used_;                    ///< [processor]
  std::vector<std::int64_t> since_;              ///< [processor]: its last start or end
  const metrics::LiveMemory* memory_ = nullptr;
  std::vector<MemoryUse> told_;  ///< [processor]: what writers know; none before the beginning
  std::int64_t date_ = 0;        ///< of the last event
  std::size_t events_ = 0;       ///< since writers were told what is settled
};

}  // namespace layerpipe::trace
