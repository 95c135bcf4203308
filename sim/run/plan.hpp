#pragma once

#include "platforms/machine/machine.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"

namespace layerpipe::run {

/// What `scheduler` plans, checked. SimGrid can crash when it is asked for routes of a platform
/// that it has loaded, so all that the plan needs are looked up in a process of their own first.
/// Throws InputError if that one dies, and whatever the scheduler throws. Precondition: the machine
/// was loaded by load_machine in this process.
[[nodiscard]] scheduler::Plan plan(const scheduler::Scheduler& scheduler,
                                   const costs::Profile& profile, const machine::Machine& machine,
                                   const placement::SchedulerOptions& options);

}  // namespace layerpipe::run
