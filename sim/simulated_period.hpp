#pragma once

#include <cstdint>

#include "platforms/machine.hpp"
#include "scheduler/schedule.hpp"
#include "sim/metrics/steady_state.hpp"

namespace layerpipe::sim {

/// The period that a simulation of at most `minibatches` minibatches shows, in a process of its
/// own. It ends as soon as that is exact; one that is not is no less than the slowest processor's
/// cycles. Precondition: the machine was loaded by load_machine in this process.
[[nodiscard]] Period simulated_period(const platforms::Machine& machine,
                                      const scheduler::Schedule& schedule,
                                      std::int64_t minibatches);

}  // namespace layerpipe::sim
