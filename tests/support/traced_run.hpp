#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "sim/metrics/stalls.hpp"
#include "sim/trace/trace_recorder.hpp"

namespace layerpipe::tests {

/// A run with traces, without the rest of what is measured. To be simulated in a process of its
/// own.
class TracedRun final : public events::EventSink {
 public:
  TracedRun(const contract::Schedule& schedule, const events::Channels& channels,
            const std::optional<trace::TraceWindow>& window);

  void add(trace::TraceWriter& writer) { recorder_.add(writer); }

  /// Simulates and finishes the writers with a result that has a makespan and nothing else.
  void simulate(const machine::Machine& machine, std::int64_t minibatches);

  [[nodiscard]] std::int64_t makespan() const { return makespan_; }

  /// Of each processor.
  [[nodiscard]] std::vector<metrics::TimeUse> time_use() const {
    return stalls_.time_use(makespan_);
  }

  void record(const events::Event& event) override;

 private:
  const contract::Schedule& schedule_;
  metrics::StallAccount stalls_;
  trace::TraceRecorder recorder_;
  std::int64_t makespan_ = 0;
};

/// Busy and stalled by each cause alike.
[[nodiscard]] bool is_equal(metrics::TimeUse a, metrics::TimeUse b);

/// Arrows that a trace of a run must have: one for each use of what was sent. A sum that stays is
/// used by way of what was sent for it. Precondition: no edge has more tokens than there are
/// minibatches.
[[nodiscard]] std::size_t uses(const contract::Schedule& schedule, std::int64_t minibatches);

}  // namespace layerpipe::tests
