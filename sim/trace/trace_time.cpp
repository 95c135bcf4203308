#include "sim/trace/trace_time.hpp"

#include <fmt/compile.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace layerpipe::trace {
namespace {

constexpr std::int64_t million = 1'000'000;
constexpr std::int64_t per_second = million * million;

/// What a reader of doubles makes of a decimal.
double as_double(const std::string& decimal) {
  double value = 0.0;
  std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
  return value;
}

bool reaches_beyond(double start, double duration, double end) {
  const auto nanoseconds = [](double microseconds) { return std::floor(microseconds * 1000.0); };
  return start + duration > end || nanoseconds(start) + nanoseconds(duration) > nanoseconds(end);
}

}  // namespace

std::string TraceClock::seconds(std::int64_t cycles) const {
  const Date at = date(cycles);
  return fmt::format(FMT_COMPILE("{}.{:012}"), at.seconds, at.picoseconds);
}

std::string TraceClock::microseconds(std::int64_t cycles) const {
  return microseconds(date(cycles));
}

std::string TraceClock::microseconds_between(std::int64_t start, std::int64_t end) const {
  const double from = as_double(microseconds(start));
  const double to = as_double(microseconds(end));
  Date span = difference(date(end), date(start));
  std::string duration = microseconds(span);
  for (std::int64_t less = 1; reaches_beyond(from, as_double(duration), to); less *= 2) {
    const bool is_longer = span.seconds > 0 || span.picoseconds > less;
    span = is_longer ? difference(span, {0, less}) : Date();
    duration = microseconds(span);
  }
  return duration;
}

TraceClock::Date TraceClock::difference(Date date, const Date& earlier) {
  date.seconds -= earlier.seconds;
  date.picoseconds -= earlier.picoseconds;
  if (date.picoseconds < 0) {
    --date.seconds;
    date.picoseconds += per_second;
  }
  return date;
}

TraceClock::Date TraceClock::date(std::int64_t cycles) const {
  const long double seconds =
      static_cast<long double>(std::max<std::int64_t>(cycles - begin_, 0)) / hertz_;
  Date result;
  result.seconds = static_cast<std::int64_t>(seconds);
  result.picoseconds =
      std::llround((seconds - static_cast<long double>(result.seconds)) * per_second);
  if (result.picoseconds == per_second) return {result.seconds + 1, 0};
  return result;
}

std::string TraceClock::microseconds(const Date& date) {
  return fmt::format(FMT_COMPILE("{}.{:06}"), date.seconds * million + date.picoseconds / million,
                     date.picoseconds % million);
}

}  // namespace layerpipe::trace
