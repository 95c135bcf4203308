#pragma once

#include <cstdint>
#include <string>

namespace layerpipe::sim {

/// Brings cycles of a clock to seconds with 12 decimals, correctly rounded: exact if a cycle is a
/// whole number of picoseconds. A duration is the difference of two such dates, so that what
/// follows without a gap in cycles does so in decimals.
class TraceClock {
 public:
  explicit TraceClock(double hertz) : hertz_(hertz) {}

  /// "0.000000001000".
  [[nodiscard]] std::string seconds(std::int64_t cycles) const;

  /// "0.001000": microseconds with six decimals.
  [[nodiscard]] std::string microseconds(std::int64_t cycles) const;
  [[nodiscard]] std::string microseconds_between(std::int64_t start, std::int64_t end) const;

 private:
  struct Date {
    std::int64_t seconds = 0;
    std::int64_t picoseconds = 0;  ///< less than a second
  };
  [[nodiscard]] Date date(std::int64_t cycles) const;
  [[nodiscard]] static std::string microseconds(const Date& date);

  double hertz_;
};

}  // namespace layerpipe::sim
