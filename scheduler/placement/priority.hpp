#pragma once

#include <string_view>

namespace layerpipe::placement {

/// Which of its ready operations a processor prefers under LayerPipe.
enum class Priority {
  fixed,          ///< input gradients before forward passes before weight gradients
  critical_loop,  ///< the same, and weight gradients on the critical loop with the input gradients
};

/// "fixed" or "critical-loop".
[[nodiscard]] std::string_view to_string(Priority priority);

}  // namespace layerpipe::placement
