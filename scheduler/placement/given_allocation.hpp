#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scheduler/placement/allocation.hpp"

namespace layerpipe::placement {

/// Which schedule orders the operations of an allocation.
enum class OrderOf {
  layerpipe,  ///< layerpipe_schedule
  pipedream,  ///< pipedream_schedule, which lends nothing
};

/// "layerpipe" or "pipedream".
[[nodiscard]] std::string_view to_string(OrderOf order);

/// An allocation that is not ours to choose.
struct GivenAllocation {
  OrderOf order = OrderOf::layerpipe;
  Allocation allocation;
};

/// Whole layers, so many on each processor, in order of execution. Throws InfeasibleError if they
/// are not `layers` in all, or more stages than `processors`.
[[nodiscard]] Allocation allocation_of_stages(const std::vector<std::int64_t>& layers_of_stages,
                                              std::size_t layers, std::size_t processors);

}  // namespace layerpipe::placement
