#pragma once

#include <cstdint>

#include "scheduler/contract/schedule.hpp"

namespace layerpipe::tests {

struct RandomScheduleOptions {
  bool only_static_orders = false;
  bool one_tensor_per_channel = false;
};

/// A schedule that passes `check_graph` and never deadlocks, with nothing else in common with
/// training: 1 to 6 processors, some of them idle, static and priority orders; up to 32 operations
/// with parts of 0 to 1000 cycles; edges with 0 to 5 tokens; tensors of 0 to 1000 bytes with up to
/// three producers and two parts, some of them local, and several edges that wait for them. A
/// function of its arguments on every platform.
[[nodiscard]] contract::Schedule random_schedule(std::uint64_t seed,
                                                 const RandomScheduleOptions& options = {});

}  // namespace layerpipe::tests
