#pragma once

#include <cstdint>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/placement/options.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/network/network.hpp"

namespace layerpipe::tests {

/// A chain of measured layers whose costs are of one of `micro_batches` equal slices; a minibatch
/// has a sample for each. The weights of a layer are not divided.
[[nodiscard]] network::Network measured_chain(const std::vector<LayerCosts>& of_micro_batch,
                                              std::int64_t micro_batches);

/// Equal layers without bytes.
[[nodiscard]] std::vector<LayerCosts> equal_layers(std::size_t count, const LayerCosts& costs);

/// As many layers on each processor.
[[nodiscard]] placement::SchedulerOptions evenly(std::int64_t micro_batches,
                                                 std::int64_t chunks = 2);

/// The machine with `latency[i]` cycles between processors i and i + 1, each way, and the last of
/// them between any other two. Links are so wide that bytes take no time. Precondition: any two
/// processors have a link of their own each way, and there is a latency for each boundary.
[[nodiscard]] machine::Machine with_latencies(const machine::Machine& mesh,
                                              const std::vector<std::int64_t>& latency);

}  // namespace layerpipe::tests
