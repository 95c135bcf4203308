#pragma once

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "sim/events/channel.hpp"

namespace layerpipe::run {

/// What the busiest channel takes for all that it sends for a minibatch, each transfer alone, or
/// the busiest shared link for all that crosses it, in cycles: no period is shorter. 0 if nothing
/// is sent. `channels` are those of the schedule.
[[nodiscard]] double communication_cycles(const machine::Machine& machine,
                                          const contract::Schedule& schedule,
                                          const events::Channels& channels);

}  // namespace layerpipe::run
