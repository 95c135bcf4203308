#pragma once

#include "platforms/machine.hpp"
#include "scheduler/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/least_staleness.hpp"

namespace layerpipe::sim {

struct LeastDelays {
  scheduler::LeastStaleness staleness;
  /// Of channels that the schedule uses. The search does not know that; with the delays found a run
  /// may then be slower than with 2 S(l).
  bool has_shared_links = false;
  /// The periods that were compared at last, with 2 S(l) and with what was found, are exact. Means
  /// of short runs may hide that in a long one the periods differ.
  bool is_exact = false;
};

/// The least delays with which the placement that `scheduler` plans has a period as good as with
/// 2 S(l), by the recurrence, which knows no channels that share links. It is evaluated for 32
/// minibatches and, if its period is not exact then, for 128; one that is not even then is the mean
/// over their middle half, and no less than the slowest processor. Throws as `plan` does, and
/// UsageError if the scheduler has delays of its own. Precondition: the machine was loaded by
/// load_machine in this process.
[[nodiscard]] LeastDelays least_delays(const scheduler::Scheduler& scheduler,
                                       const scheduler::Profile& profile,
                                       const platforms::Machine& machine,
                                       scheduler::SchedulerOptions options);

}  // namespace layerpipe::sim
