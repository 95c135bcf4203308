#include "sim/trace/picture/time_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "workloads/base/units.hpp"

namespace layerpipe::trace {
namespace {

/// 10^0 s, 10^-3 s, ...
constexpr std::array<std::string_view, 7> units{"s", "ms", "us", "ns", "ps", "fs", "as"};

/// mantissa x 10^exponent seconds.
struct Step {
  int mantissa = 1;
  int exponent = 0;

  [[nodiscard]] double seconds() const { return mantissa * std::pow(10.0, exponent); }
};

Step smallest_step(double seconds, int most) {
  const double least = seconds / most;
  // A quotient of rounded numbers may lie a little above the step that it is meant to be.
  constexpr double slack = 1.0 - 1e-9;
  const int exponent = static_cast<int>(std::floor(std::log10(least)));
  for (const int mantissa : {1, 2, 5}) {
    const Step step{mantissa, exponent};
    if (step.seconds() >= least * slack) return step;
  }
  return {1, exponent + 1};
}

}  // namespace

std::vector<Tick> time_ticks(double seconds, int most) {
  const Step step = smallest_step(seconds, most);
  const int unit = std::clamp((2 - step.exponent) / 3, 0, static_cast<int>(units.size()) - 1);
  const double in_unit = step.mantissa * std::pow(10.0, step.exponent + 3 * unit);
  std::vector<Tick> ticks;
  constexpr double slack = 1.0 + 1e-9;
  for (int i = 0; i * step.seconds() <= seconds * slack; ++i) {
    const std::string count = base::format_count(std::llround(i * in_unit));
    ticks.push_back(
        {i * step.seconds(),
         i == 0 ? "0" : fmt::format("{} {}", count, units.at(static_cast<std::size_t>(unit)))});
  }
  return ticks;
}

}  // namespace layerpipe::trace
