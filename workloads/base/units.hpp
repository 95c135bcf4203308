#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace layerpipe::base {

/// A double counts up to here without gaps: no number of bytes, cycles or elements is larger.
inline constexpr std::int64_t max_exact = (std::int64_t{1} << 53) - 1;

/// A duration given in cycles of the machine or in seconds; the other one is 0.
struct Duration {
  std::int64_t cycles = 0;
  double seconds = 0.0;

  friend bool operator==(const Duration&, const Duration&) = default;
};

/// Smallest and largest value that is accepted.
struct Range {
  std::int64_t min = 0;
  std::int64_t max = max_exact;
};

// Reading. All functions throw InputError, without a position, if `text` is not as described: its
// message says what was expected. Numbers are decimal, without sign, exponent or leading zeros; a
// quantity is a number, an optional space and a unit, whose case counts.

/// Digits only: "32".
[[nodiscard]] std::int64_t parse_whole_number(std::string_view text, const Range& range);

/// B, kB, MB, GB, TB, PB (powers of 1000), KiB, MiB, GiB, TiB, PiB (of 1024): whole bytes, at most
/// max_exact. A plain "0" needs no unit.
[[nodiscard]] std::int64_t parse_bytes(std::string_view text);

/// ns, us, ms, s -> seconds, at most 10^9. A plain "0" needs no unit.
[[nodiscard]] double parse_seconds(std::string_view text);

/// The same units; cycles: whole, at most max_exact. A plain "0" needs no
/// unit.
[[nodiscard]] Duration parse_duration(std::string_view text);

/// Hz, kHz, MHz, GHz -> hertz; at least 1, at most 10^18.
[[nodiscard]] double parse_frequency(std::string_view text);

/// The units of parse_bytes with "/s" -> bytes per second; at least 1, at most 10^18.
[[nodiscard]] double parse_bandwidth(std::string_view text);

// Writing, for people. Quantities are not negative.

/// With thousands separators: "32,007,170".
[[nodiscard]] std::string format_count(std::int64_t count);

/// With the noun that it counts: "1 layer", "1,234 layers".
[[nodiscard]] std::string format_count(std::int64_t count, std::string_view singular,
                                       std::string_view plural);

/// "12 B", "143.0 MB": 1 kB = 10^3 B.
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

/// "0 s", "100.0 ns", "32.0 ms", "7,200.0 s"; down to "1.0 as".
[[nodiscard]] std::string format_seconds(double seconds);

/// "100 ns", "1.0001 us", "-1 s": six significant digits at most, to tell what is given apart.
[[nodiscard]] std::string format_given_seconds(double seconds);

/// "41.3 %" of a ratio of 0.413.
[[nodiscard]] std::string format_percent(double ratio);

}  // namespace layerpipe::base
