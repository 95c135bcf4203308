#pragma once

#include <vector>

#include "scheduler/profile.hpp"
#include "scheduler/schedule_builder.hpp"

namespace layerpipe::scheduler {

/// Takes every value from its forward pass to those that use it: once to each processor that is not
/// its own, straight from where it is computed. `forward[l]` is the forward pass of layer l.
void connect_activations(ScheduleBuilder& builder, const Profile& profile,
                         const std::vector<OpId>& forward);

/// Where the gradient at a value is added up: on the processor of its first user in the order of
/// execution. That is its own one if layers of its own group use it.
[[nodiscard]] ProcessorId summing_processor(const Value& value,
                                            const std::vector<ProcessorId>& processor_of_layer);

}  // namespace layerpipe::scheduler
