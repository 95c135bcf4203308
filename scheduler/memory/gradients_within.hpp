#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"

namespace layerpipe::memory {

/// The gradients at values that operations of several parts make and hold while they execute these
/// in order. The profile outlives this.
class GradientsWithin {
 public:
  explicit GradientsWithin(const costs::Profile& profile);

  /// The most bytes at once between two parts of a backward pass. A layer's input gradient
  /// contributes to the gradient at each value that the layer takes; what only passes through
  /// weightless layers of its group has been contributed when its weight gradient has ended. The
  /// contributions of the operation are added up when the last of them is there. A gradient is
  /// needed until the weight gradient of the group that computed the value has ended; if that is
  /// not in the operation, until the operation has. 0 for an operation of one part.
  [[nodiscard]] std::int64_t bytes(const contract::Op& op) const;

 private:
  struct Use {
    std::size_t value = 0;
    bool by_gemm = false;
    bool by_others = false;
  };

  class Walk;

  const costs::Profile& profile_;
  std::vector<std::vector<Use>> uses_;            ///< [layer]: what it takes
  std::vector<std::vector<std::size_t>> values_;  ///< [layer]: that its group computes
};

}  // namespace layerpipe::memory
