#pragma once

#include "scheduler/contract/schedule.hpp"
#include "scheduler/placement/allocation.hpp"

namespace layerpipe::contract {

/// Where a schedule has placed the layers, how stale their updates are there, and what comes first.
/// What it executes of a layer's input gradient on another processor than the forward pass is
/// borrowed.
/// Precondition: every layer has a forward pass.
[[nodiscard]] placement::Allocation allocation_of(const Schedule& schedule);

}  // namespace layerpipe::contract
