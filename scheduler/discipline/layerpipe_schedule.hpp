#pragma once

#include <string>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/placement/allocation.hpp"

namespace layerpipe::discipline {

/// LayerPipe's schedule for any allocation: backward work in its two gradients, parts of input
/// gradients where the allocation says, weights as stale as its delays say, and its priority: input
/// gradients, with those weight gradients that it ranks with them, before forward passes before
/// weight gradients, then the oldest minibatch, then the layer nearer the output. Throws UsageError
/// if there are not as many delays as layers. Precondition: the allocation has a placement for each
/// layer of the profile, and borrowed parts lie on processors from behind the layer's own to that
/// of the first user of its output.
[[nodiscard]] contract::Schedule layerpipe_schedule(const std::string& name,
                                                    const costs::Profile& profile,
                                                    const placement::Allocation& allocation,
                                                    std::size_t processors);

}  // namespace layerpipe::discipline
