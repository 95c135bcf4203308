#pragma once

#include <cstddef>
#include <string>

#include "sim/metrics/result.hpp"

namespace layerpipe::trace {

/// What is written around a picture of a run. All are printable lines.
struct Caption {
  std::string subject;     ///< "sample4, batch 32, on three-32x32: 3 processors of 32x32 at 1 GHz"
  std::string schedule;    ///< "layerpipe", and what placed its layers
  std::string parameters;  ///< "period 32,007,170 cycles (32.0 ms), 999.8 samples/s"
};

[[nodiscard]] Caption caption(const metrics::Result& result);

/// "conv1..conv3", what a processor holds; empty if it holds nothing.
[[nodiscard]] std::string layers_note(const metrics::Result& result, std::size_t processor);

}  // namespace layerpipe::trace
