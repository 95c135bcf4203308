#include <fmt/format.h>

#include <array>
#include <span>

#include "workloads/base/units.hpp"

namespace layerpipe::base {
namespace {

/// `value` of the first unit in the largest unit of which there is at least one, each a thousand of
/// the one before.
std::string scaled(double value, std::span<const std::string_view> units) {
  constexpr double rounds_to_1000 = 999.95;
  std::size_t unit = 0;
  while (value >= rounds_to_1000 && unit + 1 < units.size()) {
    value /= 1000.0;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

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
  constexpr std::array<std::string_view, 4> units{"ns", "us", "ms", "s"};
  return seconds > 0.0 ? scaled(seconds * 1e9, units) : "0 s";
}

std::string format_percent(double ratio) { return fmt::format("{:.1f} %", 100.0 * ratio); }

}  // namespace layerpipe::base
