#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"

namespace layerpipe::tests {

/// When the processors of a run are in use, and how many micro-batches they have in flight.
struct StageUse {
  std::int64_t makespan = 0;
  std::int64_t longest_span = 0;  ///< of a processor, from its first operation to its last
  std::vector<std::int64_t> until_input_gradient;   ///< [processor]: the most in flight
  std::vector<std::int64_t> until_weight_gradient;  ///< [processor]

  friend bool operator==(const StageUse&, const StageUse&) = default;
};

/// For messages of tests: all of it in one line.
[[nodiscard]] std::string to_string(const StageUse& use);

/// By the simulation, in a process of its own. Precondition: the machine was loaded in this one.
[[nodiscard]] StageUse simulated_use(const machine::Machine& machine,
                                     const contract::Schedule& schedule, std::int64_t minibatches);

/// By the recurrence, with transfers as long as they are alone.
[[nodiscard]] StageUse recurrence_use(const machine::Machine& machine,
                                      const contract::Schedule& schedule, std::int64_t minibatches);

}  // namespace layerpipe::tests
