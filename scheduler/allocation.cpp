#include "scheduler/allocation.hpp"

#include <cmath>

namespace layerpipe::scheduler {

std::vector<ProcessorId> processors(const Allocation& allocation) {
  std::vector<ProcessorId> result;
  for (const Placement& placement : allocation.layers) result.push_back(placement.processor);
  return result;
}

std::int64_t lent_bytes(double fraction, std::int64_t bytes) {
  return static_cast<std::int64_t>(std::floor(fraction * static_cast<double>(bytes)));
}

}  // namespace layerpipe::scheduler
