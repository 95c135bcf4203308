#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "workloads/base/units.hpp"

namespace layerpipe::base {
namespace {

struct Scaled {
  double value = 0.0;
  std::string_view unit;
};

/// `value` of the first unit in the largest unit of which there is at least one, each a thousand of
/// the one before; values from `rounds_to_1000` on are a thousand when they are printed.
Scaled scale(double value, std::span<const std::string_view> units, double rounds_to_1000) {
  std::size_t unit = 0;
  while (std::abs(value) >= rounds_to_1000 && unit + 1 < units.size()) {
    value /= 1000.0;
    ++unit;
  }
  return {value, units[unit]};
}

/// With one decimal.
std::string scaled(double value, std::span<const std::string_view> units) {
  constexpr double rounds_to_1000 = 999.95;
  constexpr double largest_with_decimal = 1e15;
  const Scaled result = scale(value, units, rounds_to_1000);
  if (result.value < rounds_to_1000 || result.value > largest_with_decimal) {
    return fmt::format("{:.1f} {}", result.value, result.unit);
  }
  const std::int64_t tenths = std::llround(result.value * 10.0);
  return fmt::format("{}.{} {}", format_count(tenths / 10), tenths % 10, result.unit);
}

constexpr std::array<std::string_view, 7> seconds_units{"as", "fs", "ps", "ns", "us", "ms", "s"};
constexpr double units_per_second = 1e18;

}  // namespace

std::string format_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, 1, ',');
  return digits;
}

std::string format_count(std::int64_t count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", format_count(count), count == 1 ? singular : plural);
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 6> units{"B", "kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  return scaled(static_cast<double>(bytes), units);
}

std::string format_seconds(double seconds) {
  return seconds > 0.0 ? scaled(seconds * units_per_second, seconds_units) : "0 s";
}

std::string format_given_seconds(double seconds) {
  constexpr double rounds_to_1000 = 999.9995;
  if (seconds == 0.0) return "0 s";
  const Scaled result = scale(seconds * units_per_second, seconds_units, rounds_to_1000);
  return fmt::format("{:.6g} {}", result.value, result.unit);
}

std::string format_percent(double ratio) { return fmt::format("{:.1f} %", 100.0 * ratio); }

}  // namespace layerpipe::base
