#pragma once

#include <cstdint>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/events/channel.hpp"
#include "sim/metrics/steady_state.hpp"

namespace layerpipe::run {

/// What each tensor takes alone on its channel. Refers to all of the arguments; `channels` are
/// those of the schedule.
[[nodiscard]] theory::TransferCycles transfer_cycles_alone(const machine::Machine& machine,
                                                           const contract::Schedule& schedule,
                                                           const events::Channels& channels);

/// The period of the recurrence, evaluated for `minibatches` minibatches and found as that of a
/// run.
[[nodiscard]] metrics::Period recurrence_period(const contract::Schedule& schedule,
                                                std::int64_t minibatches,
                                                const theory::TransferCycles& transfer_cycles);

}  // namespace layerpipe::run
