#pragma once

#include <cstdint>

#include "platforms/machine.hpp"
#include "scheduler/schedule.hpp"
#include "sim/events.hpp"

namespace layerpipe::sim {

/// Executes `schedule` for `minibatches` minibatches on the platform that this process has loaded
/// with load_machine (`machine` describes it), and hands every event to `sink`.
/// An engine runs once: call it in a process of its own (isolated_process.hpp).
/// Throws DeadlockError if the schedule comes to a stop.
void simulate(const platforms::Machine& machine, const scheduler::Schedule& schedule,
              std::int64_t minibatches, EventSink& sink);

}  // namespace layerpipe::sim
