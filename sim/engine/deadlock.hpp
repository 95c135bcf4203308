#pragma once

#include <string>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "sim/engine/marking.hpp"

namespace layerpipe::engine {

/// One line about a schedule that came to a stop: for each processor with work left, the operation
/// that it waits in (the next one of its list, or else that of the oldest minibatch) and what that
/// waits for.
[[nodiscard]] std::string describe_deadlock(const contract::Schedule& schedule,
                                            const machine::Machine& machine,
                                            const Marking& marking);

}  // namespace layerpipe::engine
