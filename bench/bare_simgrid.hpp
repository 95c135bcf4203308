#pragma once

#include <cstdint>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"

namespace layerpipe::bench {

/// An operation of one minibatch.
struct Instance {
  contract::OpId op = 0;
  std::int64_t minibatch = 0;
};

/// [processor]: what it executes, in the order in which the list scheduler starts it.
using Programs = std::vector<std::vector<Instance>>;

[[nodiscard]] Programs programs(const machine::Machine& machine, const contract::Schedule& schedule,
                                std::int64_t minibatches);

/// Executes the programs as an ordinary SimGrid program would, on the platform that this process
/// has loaded with load_machine, in seconds: an actor per processor calls `execute` for each
/// operation, and sends each tensor by a detached put to a mailbox that its receiver owns, so that
/// it starts at once. Same operations and same transfers as in a simulation of the schedule; not
/// the same dates, since nothing queues for a channel. Precondition: no tensor has parts.
void run_bare(const machine::Machine& machine, const contract::Schedule& schedule,
              std::int64_t minibatches, const Programs& programs);

}  // namespace layerpipe::bench
