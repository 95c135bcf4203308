#pragma once

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"

namespace layerpipe::contract {

/// Throws InternalError unless everything that an operation uses is there before it starts.
/// Activations: each forward pass waits for every value that its group takes, for the one that
/// stays on its processor, or for one tensor with all of its bytes that comes from the value's
/// forward pass; each processor gets each value once. Gradients: every backward operation of a
/// layer is handed the loss and all parts of all input gradients that the gradient at its group's
/// output is added up from, by whatever tensors. Precondition: `check_graph` and the
/// sums of all operations of `profile` hold.
void check_flow(const Schedule& schedule, const costs::Profile& profile);

}  // namespace layerpipe::contract
