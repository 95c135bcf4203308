#pragma once

#include <vector>

#include "scheduler/costs/profile.hpp"

namespace layerpipe::theory {

/// [layer]: its weight gradient lies on the critical loop of the training that is not pipelined
/// (LayerPipe, Algorithm 1, line 1): of all ways from one update of a layer to its next, through
/// whole operations, the one with the most cycles. In the paper it is that of the first layer.
[[nodiscard]] std::vector<bool> weight_gradients_on_critical_loop(const costs::Profile& profile);

}  // namespace layerpipe::theory
