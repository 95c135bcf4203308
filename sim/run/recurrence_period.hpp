#pragma once

#include <cstdint>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/events/channel.hpp"
#include "sim/metrics/steady_state.hpp"

namespace layerpipe::sim {

/// What each tensor takes alone on its channel. Refers to all of the arguments; `channels` are
/// those of the schedule.
[[nodiscard]] scheduler::TransferCycles transfer_cycles_alone(const platforms::Machine& machine,
                                                              const scheduler::Schedule& schedule,
                                                              const Channels& channels);

/// The period of the recurrence, evaluated for `minibatches` minibatches and found as that of a
/// run.
[[nodiscard]] Period recurrence_period(const scheduler::Schedule& schedule,
                                       std::int64_t minibatches,
                                       const scheduler::TransferCycles& transfer_cycles);

}  // namespace layerpipe::sim
