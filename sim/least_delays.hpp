#pragma once

#include "platforms/machine.hpp"
#include "scheduler/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/least_staleness.hpp"

namespace layerpipe::sim {

/// Minibatches for which the recurrence is evaluated in the search.
inline constexpr std::int64_t least_delays_minibatches = 200;

/// The least delays with which the placement that `scheduler` plans has a period as good as with
/// 2 S(l), by the recurrence, which knows no channels that share links. Throws as `plan` does, and
/// UsageError if the scheduler has delays of its own. Precondition: the machine was loaded by
/// load_machine in this process.
[[nodiscard]] scheduler::LeastStaleness least_delays(const scheduler::Scheduler& scheduler,
                                                     const scheduler::Profile& profile,
                                                     const platforms::Machine& machine,
                                                     scheduler::SchedulerOptions options);

}  // namespace layerpipe::sim
