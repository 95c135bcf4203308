#pragma once

#include <cstdint>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/costs/ids.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/placement/options.hpp"

namespace layerpipe::placement {

/// The contiguous whole-layer partition whose slowest stage is fastest (the planner of PipeDream,
/// Narayanan et al., SOSP 2019, without replication): exact. The least cycles of the slowest stage
/// are found by bisection, down to neighbouring numbers; each step of it, and the search for the
/// fewest bytes, takes O(processors x layers). A stage takes the cycles of all its operations; with
/// PartitionObjective::communication a boundary counts as well, with the cycles in which the
/// activations forward and the gradients backward pass the narrowest link of their routes (latency
/// left out). Among equals: the fastest slowest stage without its boundaries (a boundary binds the
/// planner's model, not always the pipeline), then the fewest stages, then the fewest bytes over
/// boundaries, then the earliest cuts. Returns the stage, and processor, of each layer.
[[nodiscard]] std::vector<costs::ProcessorId> pipedream_partition(const costs::Profile& profile,
                                                                  const machine::Machine& machine,
                                                                  PartitionObjective objective);

}  // namespace layerpipe::placement
