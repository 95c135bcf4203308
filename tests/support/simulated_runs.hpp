#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/file/generate.hpp"
#include "scheduler/contract/schedule.hpp"

namespace layerpipe::tests {

struct SimulatedRun {
  bool exact = false;          ///< the steady state was found exactly
  double period_cycles = 0.0;  ///< per minibatch
  std::int64_t makespan = 0;   ///< cycles
};

/// Simulates each schedule for `minibatches` minibatches on a generated platform. Works any number
/// of times in a process: the platform is loaded in another one.
std::vector<SimulatedRun> simulated_runs(const file::PlatformSpec& spec,
                                         const std::vector<contract::Schedule>& schedules,
                                         std::int64_t minibatches);

/// The same on the platform of a file.
std::vector<SimulatedRun> simulated_runs(const std::string& platform_file,
                                         const std::vector<contract::Schedule>& schedules,
                                         std::int64_t minibatches);

/// Links without latency that move 64 bytes a cycle in each direction.
file::PlatformSpec latency_free(std::int64_t processors, machine::Topology topology);

}  // namespace layerpipe::tests
