#pragma once

#include <cstdint>
#include <optional>

#include "platforms/machine/machine.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/least_staleness.hpp"

namespace layerpipe::run {

/// What simulations say of the delays that a search found.
struct SimulatedDelays {
  double period_cycles = 0.0;                     ///< with the delays that are used in the end
  double twice_stages_after_period_cycles = 0.0;  ///< with 2 S(l)
  std::int64_t raised = 0;  ///< how often 1 was added to all entries, up to 2 S(l)
};

struct LeastDelays {
  theory::LeastStaleness staleness;
  bool has_shared_links = false;  ///< of channels that the schedule uses
  /// Empty where the recurrence, by which `staleness` was found, is certain.
  std::optional<SimulatedDelays> simulated = {};
  placement::Staleness delays;  ///< as found or raised
  /// The periods that were compared at last are exact. Means of short runs may hide that in a long
  /// one they differ.
  bool is_exact = false;

  /// Whether 2 S(l) reaches the slowest processor's cycles at all.
  [[nodiscard]] bool reaches_bound() const;
};

/// The least delays with which the placement that `scheduler` plans has a period as good as with
/// 2 S(l), by the recurrence. It is evaluated for 32 minibatches and, if its period is not exact
/// then, for 128; one that is not even then is a mean. In comparisons, here and below, a mean
/// counts as no less than the slowest processor's cycles.
///
/// Where these periods are not exact, or channels share links, which the recurrence does not know,
/// simulations of up to 400 minibatches decide: 1 is added to all entries, up to 2 S(l), until
/// theirs is as good. A mean is as good if it is no more than 0.01 % longer.
///
/// Throws as `plan` does, and UsageError if the scheduler has delays of its own. Precondition: the
/// machine was loaded by load_machine in this process.
[[nodiscard]] LeastDelays least_delays(const scheduler::Scheduler& scheduler,
                                       const costs::Profile& profile,
                                       const machine::Machine& machine,
                                       placement::SchedulerOptions options);

}  // namespace layerpipe::run
