#pragma once

#include <string>

#include "scheduler/allocation.hpp"
#include "scheduler/profile.hpp"
#include "scheduler/schedule.hpp"

namespace layerpipe::scheduler {

/// LayerPipe's schedule of a chain for any allocation: backward work in its two gradients, lent
/// parts of input gradients on the processor of the next layer, weights as stale as the
/// allocation's delays say, and the priority rule: input gradients before forward passes before
/// weight gradients, then the oldest minibatch, then the layer nearer the output, then the kept
/// part before the lent one. Throws UsageError if there are not as many delays as layers.
/// Precondition: the allocation has a placement for each layer of the profile and lends only from
/// layers that have an input gradient to the processor of the next layer.
[[nodiscard]] Schedule layerpipe_schedule(const std::string& name, const Profile& profile,
                                          const Allocation& allocation, std::size_t processors);

}  // namespace layerpipe::scheduler
