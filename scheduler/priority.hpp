#pragma once

#include <string_view>
#include <vector>

#include "scheduler/profile.hpp"

namespace layerpipe::scheduler {

/// Which of its ready operations a processor prefers under LayerPipe.
enum class Priority {
  fixed,          ///< input gradients before forward passes before weight gradients
  critical_loop,  ///< the same, and weight gradients on the critical loop with the input gradients
};

/// "fixed" or "critical-loop".
[[nodiscard]] std::string_view to_string(Priority priority);

/// [layer]: its weight gradient lies on the critical loop of the training that is not pipelined
/// (LayerPipe, Algorithm 1, line 1): of all ways from one update of a layer to its next, through
/// whole operations, the one with the most cycles. In the paper it is that of the first layer.
[[nodiscard]] std::vector<bool> weight_gradients_on_critical_loop(const Profile& profile);

}  // namespace layerpipe::scheduler
