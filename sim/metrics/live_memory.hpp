#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/memory/holdings.hpp"
#include "sim/events/events.hpp"
#include "sim/metrics/live_counts.hpp"
#include "sim/metrics/result.hpp"

namespace layerpipe::metrics {

/// Bytes of what each processor holds (memory::holdings), now and, as LiveCounts does, at most
/// at any date.
class LiveMemory final : public events::EventSink {
 public:
  LiveMemory(const contract::Schedule& schedule, const costs::Profile& profile);

  void record(const events::Event& event) override;

  /// After the last event, whether more will happen at its date or not.
  [[nodiscard]] const MemoryBytes& now(costs::ProcessorId processor) const {
    return processors_[processor].now;
  }

  /// Processors for which an event of the last date has changed something.
  [[nodiscard]] const std::vector<costs::ProcessorId>& changed() const { return changed_; }

  /// The greatest of each kind, and the greatest total, at any date so far.
  [[nodiscard]] MemoryBytes peak(costs::ProcessorId processor) const;

 private:
  struct Processor {
    MemoryBytes now;
    MemoryBytes peak;  ///< up to the date before the last
    bool is_changed = false;
  };

  void settle();

  std::vector<memory::Holding> holdings_;
  LiveCounts counts_;
  std::vector<Processor> processors_;
  std::vector<costs::ProcessorId> changed_;  ///< at the last date
  std::int64_t date_ = 0;
};

}  // namespace layerpipe::metrics
