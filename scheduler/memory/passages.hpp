#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/costs/profile.hpp"

namespace layerpipe::memory {

/// Where gradients are not made, but come through the weightless layers of another group.
class Passages {
 public:
  explicit Passages(const costs::Profile& profile);

  /// Whether the gradient at value `from`, as it is, is that at value `to`, or a summand of that:
  /// each group on the way has one output and one summand of the gradient there.
  [[nodiscard]] bool lead(std::size_t from, std::size_t to) const;

  /// Whether it is that at an output of the group of `layer`, or a summand of that.
  [[nodiscard]] bool lead_to_group(std::size_t from, std::size_t layer) const;

 private:
  std::vector<std::size_t> groups_;             ///< [value]: the layer of its group
  std::vector<std::vector<std::size_t>> next_;  ///< [value]: to which its gradient is passed
};

}  // namespace layerpipe::memory
