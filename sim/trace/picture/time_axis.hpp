#pragma once

#include <string>
#include <vector>

namespace layerpipe::trace {

struct Tick {
  double seconds = 0.0;
  std::string label;  ///< "20 ms"; all ticks of an axis have the same unit
};

/// Ticks from 0 to `seconds`, which is more than 0: as many as there can be but no more than `most`
/// steps, each 1, 2 or 5 times a power of ten.
[[nodiscard]] std::vector<Tick> time_ticks(double seconds, int most);

}  // namespace layerpipe::trace
