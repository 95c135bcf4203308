#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "scheduler/costs/profile.hpp"
#include "scheduler/placement/allocation.hpp"
#include "scheduler/placement/options.hpp"

namespace layerpipe::placement {

/// A layer as LayerPipe's partitioners see it, in cycles.
struct LayerWork {
  std::int64_t flexible = 0;  ///< input gradient that may be lent
  std::int64_t fixed = 0;     ///< the rest
  /// Of a flexible input gradient: the layer that has to lie on the processor of the next layer for
  /// it to be lent.
  std::size_t borrower = 0;
};

/// Why no part of the input gradient of `layer` can be lent, wherever layers lie, for the user:
/// "it is the last layer". None if it can.
[[nodiscard]] std::optional<std::string_view> lending_obstacle(const costs::Profile& profile,
                                                               std::size_t layer);

/// The layers of `profile`, in order. An input gradient may be lent unless there is a
/// `lending_obstacle`, or it is above the thresholds. Throws InfeasibleError if a layer cannot be
/// divided by `options.split`.
[[nodiscard]] std::vector<LayerWork> layer_works(const costs::Profile& profile,
                                                 const SchedulerOptions& options);

/// Units of an input gradient that a processor borrows.
struct BorrowedUnits {
  costs::ProcessorId processor = 0;
  std::int64_t units = 0;
};

/// Layer `layer` on `processor`, with so many units of its input gradient borrowed by other
/// processors, the first ones first, or as many as there are.
[[nodiscard]] Placement placement(const costs::LayerProfile& layer, costs::Split split,
                                  costs::ProcessorId processor,
                                  const std::vector<BorrowedUnits>& borrowed);

}  // namespace layerpipe::placement
