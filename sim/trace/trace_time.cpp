#include "sim/trace/trace_time.hpp"

#include <fmt/compile.h>

#include <cmath>

namespace layerpipe::sim {
namespace {

constexpr std::int64_t million = 1'000'000;
constexpr std::int64_t per_second = million * million;

}  // namespace

std::string TraceClock::seconds(std::int64_t cycles) const {
  const Date at = date(cycles);
  return fmt::format(FMT_COMPILE("{}.{:012}"), at.seconds, at.picoseconds);
}

std::string TraceClock::microseconds(std::int64_t cycles) const {
  return microseconds(date(cycles));
}

std::string TraceClock::microseconds_between(std::int64_t start, std::int64_t end) const {
  const Date from = date(start);
  Date span = date(end);
  span.seconds -= from.seconds;
  span.picoseconds -= from.picoseconds;
  if (span.picoseconds < 0) {
    --span.seconds;
    span.picoseconds += per_second;
  }
  return microseconds(span);
}

TraceClock::Date TraceClock::date(std::int64_t cycles) const {
  const long double seconds = static_cast<long double>(cycles) / hertz_;
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

}  // namespace layerpipe::sim
