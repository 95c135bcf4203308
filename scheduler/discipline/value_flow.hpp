#pragma once

#include <vector>

#include "scheduler/contract/schedule_builder.hpp"
#include "scheduler/costs/profile.hpp"

namespace layerpipe::discipline {

/// Takes every value from its forward pass to those that use it: once to each processor that is not
/// its own, straight from where it is computed. `forward[l]` is the forward pass of layer l.
void connect_activations(contract::ScheduleBuilder& builder, const costs::Profile& profile,
                         const std::vector<contract::OpId>& forward);

}  // namespace layerpipe::discipline
