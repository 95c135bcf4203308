#pragma once

#include <cstdint>
#include <functional>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "sim/events/events.hpp"

namespace layerpipe::engine {

struct SimulationOptions {
  /// If not empty, asked after each date until it is true. Then no further minibatch begins, and
  /// those that have begun are finished: the run is, from its first event to its last, a run of as
  /// many minibatches.
  std::function<bool()> may_stop = {};
  /// Every channel sends network flows, also those that are alone on their links. Changes no date.
  bool only_flows = false;
};

/// Executes `schedule` for `minibatches` minibatches on the platform that this process has loaded
/// with load_machine (`machine` describes it), and hands every event to `sink`.
/// Returns how many minibatches the run had.
/// An engine runs once: call it in a process of its own (isolated_process.hpp).
/// Throws DeadlockError if the schedule comes to a stop.
std::int64_t simulate(const machine::Machine& machine, const contract::Schedule& schedule,
                      std::int64_t minibatches, events::EventSink& sink,
                      const SimulationOptions& options = {});

}  // namespace layerpipe::engine
