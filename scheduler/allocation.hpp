#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/schedule.hpp"

namespace layerpipe::scheduler {

/// Where one layer lies, and how much of its input gradient the processor of the next layer
/// computes in its place (delta'').
struct Placement {
  ProcessorId processor = 0;
  double lent_fraction = 0.0;    ///< of the input gradient, in [0, 1]
  std::int64_t lent_cycles = 0;  ///< what the lent part takes there
};

/// One placement per layer with a GEMM, in order of execution. Processors never decrease and leave
/// none out: layers of one processor are a stage.
struct Allocation {
  std::vector<Placement> layers;
  Split split = Split::ideal;  ///< how lent fractions are meant

  [[nodiscard]] std::size_t stages() const {
    return layers.empty() ? 0 : layers.back().processor + 1;
  }
};

}  // namespace layerpipe::scheduler
