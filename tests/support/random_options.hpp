#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "scheduler/placement/options.hpp"
#include "scheduler/scheduler.hpp"

namespace layerpipe::tests {

/// A shape that a scheduler has a schedule for.
struct DrawnOptions {
  std::size_t processors = 1;
  placement::SchedulerOptions options;
};

/// Up to `most_processors` processors, any placement and split, a few micro-batches more than the
/// scheduler needs, and stages on each processor as `layers` layers allow.
[[nodiscard]] DrawnOptions draw_options(const scheduler::Scheduler& scheduler, std::size_t layers,
                                        std::size_t most_processors, std::mt19937_64& random);

/// Of a random graph of up to 12 layers with a GEMM on the first processors of the machine, under
/// the schedulers in turn and with options drawn for each.
[[nodiscard]] contract::Schedule schedule_of_random_graph(const machine::Machine& machine,
                                                          std::uint64_t seed);

}  // namespace layerpipe::tests
