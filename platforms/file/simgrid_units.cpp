#include "platforms/file/simgrid_units.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "workloads/base/error.hpp"

namespace layerpipe::file {

namespace {

using Prefixes = std::array<std::string_view, 8>;

constexpr Prefixes decimal{"k", "M", "G", "T", "P", "E", "Z", "Y"};
constexpr Prefixes binary{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};
constexpr Prefixes spelt{"kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta"};

/// `base` for the first of `prefixes`, its square for the second, ...; 1 without a prefix.
std::optional<double> factor(std::string_view unit, std::string_view stem, const Prefixes& prefixes,
                             double base) {
  if (!unit.ends_with(stem)) return std::nullopt;
  const std::string_view prefix = unit.substr(0, unit.size() - stem.size());
  if (prefix.empty()) return 1.0;
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    if (prefixes[i] == prefix) return std::pow(base, static_cast<double>(i + 1));
  }
  return std::nullopt;
}

std::optional<double> speed(std::string_view unit) {
  const auto value = factor(unit, "f", decimal, 1e3);
  return value ? value : factor(unit, "flops", spelt, 1e3);
}

std::optional<double> bandwidth(std::string_view unit) {
  constexpr double bytes_per_bit = 0.125;
  for (const auto& [stem, bytes] : {std::pair{"Bps", 1.0}, std::pair{"bps", bytes_per_bit}}) {
    auto value = factor(unit, stem, decimal, 1e3);
    if (!value) value = factor(unit, stem, binary, 1024.0);
    if (value) return *value * bytes;
  }
  return std::nullopt;
}

std::optional<double> seconds(std::string_view unit) {
  struct Time {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<Time, 9> times{{{"w", 604'800.0},
                                       {"d", 86'400.0},
                                       {"h", 3'600.0},
                                       {"m", 60.0},
                                       {"s", 1.0},
                                       {"ms", 1e-3},
                                       {"us", 1e-6},
                                       {"ns", 1e-9},
                                       {"ps", 1e-12}}};
  for (const Time& time : times) {
    if (time.name == unit) return time.seconds;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> simgrid_unit(Dimension dimension, std::string_view unit) {
  switch (dimension) {
    case Dimension::speed:
      return speed(unit);
    case Dimension::bandwidth:
      return bandwidth(unit);
    case Dimension::time:
      return seconds(unit);
  }
  throw InternalError("unknown dimension");
}

}  // namespace layerpipe::file
