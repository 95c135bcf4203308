#pragma once

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"

namespace layerpipe::contract {

/// Throws InternalError unless the marked graph and its binding are whole: every op stands exactly
/// once in the order of its processor and nowhere else; edges, tensors and updates name what
/// exists; a tensor goes from the processor of all its producers and parts to another one, or stays
/// there if it is local, and an edge or another tensor waits for it; parts have lower ids; an edge
/// that waits for a tensor leads from one of its origins to its destination, any other edge stays
/// on its processor; there is an update; cycles, bytes, tokens and lags are not negative.
void check_graph(const Schedule& schedule);

/// `check_graph` and `check_flow`, and throws InternalError unless every operation of every layer
/// of `profile` is there exactly once: its fractions are positive and add up to 1 (within 1e-9),
/// the cycles of its parts to the profile's. Where input gradients are split into channels or
/// samples, their parts are whole ones, and each takes the cycles of its own GEMM instead.
void check(const Schedule& schedule, const costs::Profile& profile);

}  // namespace layerpipe::contract
