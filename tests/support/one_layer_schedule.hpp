#pragma once

#include "scheduler/contract/schedule.hpp"

namespace layerpipe::tests {

/// One layer on one processor: its forward pass is operation 0, its weight gradient, which is the
/// update, operation 1. A cycle each, and nothing waits for anything.
[[nodiscard]] contract::Schedule one_layer_schedule();

}  // namespace layerpipe::tests
