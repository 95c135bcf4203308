#pragma once

#include <cstdint>
#include <string>

namespace layerpipe::trace {

/// Brings cycles of a clock to seconds with 12 decimals, correctly rounded: exact if a cycle is a
/// whole number of picoseconds.
class TraceClock {
 public:
  explicit TraceClock(double hertz) : hertz_(hertz) {}

  /// From now on, dates count from this cycle on; what is earlier is there, too.
  void begin_at(std::int64_t cycle) { begin_ = cycle; }

  /// "0.000000001000".
  [[nodiscard]] std::string seconds(std::int64_t cycles) const;

  /// "0.001000": microseconds with six decimals.
  [[nodiscard]] std::string microseconds(std::int64_t cycles) const;

  /// How long a slice lasts that begins at microseconds(start), so that it does not reach beyond
  /// microseconds(end) for any reader: one of decimals, one that reads both as doubles and adds
  /// them, and one that brings these doubles to whole nanoseconds, rounded down. That is the
  /// difference of the two where it can be, and else little less.
  [[nodiscard]] std::string microseconds_between(std::int64_t start, std::int64_t end) const;

 private:
  struct Date {
    std::int64_t seconds = 0;
    std::int64_t picoseconds = 0;  ///< less than a second
  };
  [[nodiscard]] Date date(std::int64_t cycles) const;
  [[nodiscard]] static std::string microseconds(const Date& date);
  [[nodiscard]] static Date difference(Date date, const Date& earlier);

  double hertz_;
  std::int64_t begin_ = 0;
};

}  // namespace layerpipe::trace
