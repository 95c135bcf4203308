#include "workloads/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "workloads/base/error.hpp"
#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::base {
namespace {

/// A unit is 10^exponent10 * 2^exponent2 base units.
struct Unit {
  std::string_view name;
  int exponent10 = 0;
  int exponent2 = 0;
};

constexpr std::array<Unit, 11> byte_units{{{"B"},
                                           {"kB", 3},
                                           {"MB", 6},
                                           {"GB", 9},
                                           {"TB", 12},
                                           {"PB", 15},
                                           {"KiB", 0, 10},
                                           {"MiB", 0, 20},
                                           {"GiB", 0, 30},
                                           {"TiB", 0, 40},
                                           {"PiB", 0, 50}}};
constexpr std::array<Unit, 11> bandwidth_units{{{"B/s"},
                                                {"kB/s", 3},
                                                {"MB/s", 6},
                                                {"GB/s", 9},
                                                {"TB/s", 12},
                                                {"PB/s", 15},
                                                {"KiB/s", 0, 10},
                                                {"MiB/s", 0, 20},
                                                {"GiB/s", 0, 30},
                                                {"TiB/s", 0, 40},
                                                {"PiB/s", 0, 50}}};
constexpr std::string_view cycles = "cycles";
constexpr std::string_view one_cycle = "cycle";
constexpr std::array<Unit, 4> time_units{{{"ns", -9}, {"us", -6}, {"ms", -3}, {"s"}}};
constexpr std::array<Unit, 5> duration_units{{{"ns", -9}, {"us", -6}, {"ms", -3}, {"s"}, {cycles}}};
constexpr std::array<Unit, 4> frequency_units{{{"Hz"}, {"kHz", 3}, {"MHz", 6}, {"GHz", 9}}};

/// What a kind of quantity is called and written like.
struct Kind {
  std::string_view noun;
  std::string_view example;
  std::span<const Unit> units;
};

const Kind size_kind{"size", "4 MB", byte_units};
const Kind time_kind{"time", "100 ns", time_units};
const Kind duration_kind{"duration", "10 ms", duration_units};
const Kind frequency_kind{"frequency", "1 GHz", frequency_units};
const Kind bandwidth_kind{"bandwidth", "64 GB/s", bandwidth_units};

/// digits[.digits]unit, taken apart.
struct Quantity {
  std::string_view number;
  std::string_view whole;
  std::string_view fraction;
  Unit unit;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view leading_digits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return text.substr(0, count);
}

bool has_leading_zero(std::string_view digits) { return digits.size() > 1 && digits[0] == '0'; }

/// Of "e30 cycles", what is left of "1e30 cycles" behind its digits.
bool is_exponent(std::string_view rest) {
  if (!rest.starts_with('e') && !rest.starts_with('E')) return false;
  rest.remove_prefix(1);
  if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
  return !rest.empty() && is_digit(rest.front());
}

std::string unit_names(const Kind& kind) {
  std::vector<std::string_view> names;
  for (const Unit& unit : kind.units) names.push_back(unit.name);
  return one_of(names);
}

[[noreturn]] void refuse(std::string_view text, std::string_view wrong, const Kind& kind) {
  throw InputError(fmt::format("{} {} (expected a {} such as {}; units: {})", in_quotes(text),
                               wrong, kind.noun, kind.example, unit_names(kind)));
}

Unit find_unit(std::string_view text, std::string_view name, const Kind& kind) {
  if (name.empty()) refuse(text, "has no unit", kind);
  const std::string_view plural = name == one_cycle ? cycles : name;
  for (const Unit& unit : kind.units) {
    if (unit.name == plural) return unit;
  }
  refuse(text, fmt::format("has an unknown unit {}", in_quotes(name)), kind);
}

Quantity split(std::string_view text, const Kind& kind) {
  const std::string not_one = fmt::format("is not a {}", kind.noun);
  Quantity result;
  if (text.starts_with('-')) refuse(text, "is negative", kind);
  result.whole = leading_digits(text);
  if (result.whole.empty()) refuse(text, not_one, kind);
  if (has_leading_zero(result.whole)) refuse(text, "has a leading zero", kind);
  std::string_view rest = text.substr(result.whole.size());
  if (rest.starts_with('.')) {
    result.fraction = leading_digits(rest.substr(1));
    if (result.fraction.empty()) refuse(text, not_one, kind);
    rest.remove_prefix(1 + result.fraction.size());
  }
  result.number = text.substr(0, text.size() - rest.size());
  if (is_exponent(rest)) refuse(text, "has an exponent", kind);
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  result.unit = find_unit(text, rest, kind);
  return result;
}

/// The digits as a number; none if it is larger than `max`.
std::optional<std::int64_t> to_integer(std::string_view digits, std::int64_t max) {
  std::int64_t value = 0;
  for (const char c : digits) {
    const std::int64_t digit = c - '0';
    if (digit > max || value > (max - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

std::int64_t power_of_ten(std::size_t exponent) {
  std::int64_t result = 1;
  for (std::size_t i = 0; i < exponent; ++i) result *= 10;
  return result;
}

/// The quantity in base units, without rounding; refuses it if that is no whole number or larger
/// than max_exact.
std::int64_t to_whole(std::string_view text, const Quantity& quantity, const Kind& kind,
                      std::string_view base_unit) {
  constexpr std::size_t most_fraction_digits = 18;
  const std::int64_t factor = power_of_ten(static_cast<std::size_t>(quantity.unit.exponent10))
                              << quantity.unit.exponent2;
  std::string_view fraction = quantity.fraction;
  while (fraction.ends_with('0')) fraction.remove_suffix(1);

  std::int64_t part = 0;
  if (!fraction.empty()) {
    const std::string not_whole = fmt::format("is not a whole number of {}", base_unit);
    if (fraction.size() > most_fraction_digits) refuse(text, not_whole, kind);
    const std::int64_t scale = power_of_ten(fraction.size());
    const std::int64_t common = std::gcd(scale, factor);
    const std::int64_t digits = *to_integer(fraction, scale);
    if (digits % (scale / common) != 0) refuse(text, not_whole, kind);
    part = digits / (scale / common) * (factor / common);
  }
  const auto whole = to_integer(quantity.whole, max_exact);
  if (!whole || *whole > (max_exact - part) / factor) {
    refuse(text, fmt::format("is more than {} {}", format_count(max_exact), base_unit), kind);
  }
  return *whole * factor + part;
}

/// The double nearest to the quantity in base units (power-of-two factors are exact).
double to_double(std::string_view text, const Quantity& quantity, const Kind& kind, double max) {
  const std::string decimal = fmt::format("{}e{}", quantity.number, quantity.unit.exponent10);
  double value = 0.0;
  const auto [end, status] =
      std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
  value = std::ldexp(value, quantity.unit.exponent2);
  if (status != std::errc{} || value > max) refuse(text, "is out of range", kind);
  return value;
}

constexpr double longest_seconds = 1e9;

double rate(std::string_view text, const Kind& kind) {
  constexpr double smallest_rate = 1.0;
  constexpr double largest_rate = 1e18;
  const double value = to_double(text, split(text, kind), kind, largest_rate);
  if (value <= 0.0) refuse(text, "is not positive", kind);
  if (value < smallest_rate) {
    refuse(text, fmt::format("is below 1 {}", kind.units.front().name), kind);
  }
  return value;
}

}  // namespace

std::int64_t parse_whole_number(std::string_view text, const Range& range) {
  const auto refuse_number = [&](std::string_view wrong) {
    throw InputError(fmt::format("{} {} (expected {} to {})", in_quotes(text), wrong,
                                 format_count(range.min), format_count(range.max)));
  };
  if (text.starts_with('-')) refuse_number("is negative");
  if (text.empty() || leading_digits(text) != text) refuse_number("is not a whole number");
  if (has_leading_zero(text)) refuse_number("has a leading zero");
  const auto value = to_integer(text, range.max);
  if (!value || *value < range.min) refuse_number("is out of range");
  return *value;
}

std::int64_t parse_bytes(std::string_view text) {
  if (text == "0") return 0;
  return to_whole(text, split(text, size_kind), size_kind, "bytes");
}

double parse_seconds(std::string_view text) {
  if (text == "0") return 0.0;
  return to_double(text, split(text, time_kind), time_kind, longest_seconds);
}

Duration parse_duration(std::string_view text) {
  if (text == "0") return {};
  const Quantity quantity = split(text, duration_kind);
  if (quantity.unit.name == cycles) {
    return {to_whole(text, quantity, duration_kind, cycles), 0.0};
  }
  return {0, to_double(text, quantity, duration_kind, longest_seconds)};
}

double parse_frequency(std::string_view text) { return rate(text, frequency_kind); }

double parse_bandwidth(std::string_view text) { return rate(text, bandwidth_kind); }

}  // namespace layerpipe::base
