#pragma once

#include <cstdint>
#include <functional>

#include "platforms/machine.hpp"
#include "scheduler/schedule.hpp"
#include "sim/events.hpp"

namespace layerpipe::sim {

/// Executes `schedule` for `minibatches` minibatches on the platform that this process has loaded
/// with load_machine (`machine` describes it), and hands every event to `sink`.
///
/// Where there is a `may_stop`, it is asked after each date until it is true. Then no further
/// minibatch begins, and those that have begun are finished: the run is, from its first event to
/// its last, a run of as many minibatches. Returns how many that are.
///
/// An engine runs once: call it in a process of its own (isolated_process.hpp).
/// Throws DeadlockError if the schedule comes to a stop.
std::int64_t simulate(const platforms::Machine& machine, const scheduler::Schedule& schedule,
                      std::int64_t minibatches, EventSink& sink,
                      const std::function<bool()>& may_stop = {});

}  // namespace layerpipe::sim
