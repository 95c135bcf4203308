#pragma once

#include <cstdint>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"

namespace layerpipe::run {

struct SimulatedPeriod {
  bool exact = false;
  double cycles_per_minibatch = 0.0;
};

/// The period that a simulation of at most `minibatches` minibatches shows, in a process of its
/// own. It ends as soon as that is exact. Precondition: the machine was loaded by load_machine in
/// this process.
[[nodiscard]] SimulatedPeriod simulated_period(const machine::Machine& machine,
                                               const contract::Schedule& schedule,
                                               std::int64_t minibatches);

}  // namespace layerpipe::run
