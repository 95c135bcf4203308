#pragma once

#include <cstdint>

#include "scheduler/placement/allocation.hpp"

namespace layerpipe::tests {

/// Of all parts of the layer's input gradient that other processors compute.
[[nodiscard]] inline std::int64_t borrowed_cycles(const placement::Placement& placement) {
  std::int64_t sum = 0;
  for (const placement::BorrowedPart& part : placement.borrowed) sum += part.cycles;
  return sum;
}

}  // namespace layerpipe::tests
