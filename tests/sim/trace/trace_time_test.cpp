#include "sim/trace/trace_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace layerpipe::trace {
namespace {

/// Of a decimal of microseconds with six decimals.
std::int64_t picoseconds(std::string decimal) {
  decimal.erase(decimal.find('.'), 1);
  return std::stoll(decimal);
}

// 1.7 GHz: 1 / 1.7e9 s is 588.235... ps. 10^14 cycles at 1 GHz are 10^5 s to the last cycle.
TEST(TraceClock, SecondsAreExactOrRoundedOnce) {
  EXPECT_EQ(TraceClock(1e9).seconds(0), "0.000000000000");
  EXPECT_EQ(TraceClock(1e9).seconds(1), "0.000000001000");
  EXPECT_EQ(TraceClock(1e9).seconds(99'999'999'999'999), "99999.999999999000");
  EXPECT_EQ(TraceClock(1.7e9).seconds(1), "0.000000000588");
  EXPECT_EQ(TraceClock(1.7e9).seconds(1'700'000'000), "1.000000000000");
}

// The same numbers with the point six places further.
TEST(TraceClock, MicrosecondsAreTheSame) {
  EXPECT_EQ(TraceClock(1e9).microseconds(1), "0.001000");
  EXPECT_EQ(TraceClock(1e9).microseconds(99'999'999'999'999), "99999999999.999000");
  EXPECT_EQ(TraceClock(1.7e9).microseconds(1), "0.000588");
}

// 1, 2, 3 cycles of 1.7 GHz are 588, 1176 and 1765 ps, rounded.
TEST(TraceClock, DurationsAreDifferencesOfDates) {
  const TraceClock clock(1.7e9);
  EXPECT_EQ(clock.microseconds_between(1, 2), "0.000588");
  EXPECT_EQ(clock.microseconds_between(2, 3), "0.000589");
  EXPECT_EQ(TraceClock(1e9).microseconds_between(999'999'999, 1'000'000'001), "0.002000");
}

/// What three kinds of readers make of two neighbours that begin at `start` and `middle`.
void expect_no_overlap(const TraceClock& clock, std::int64_t start, std::int64_t middle) {
  const double first = std::stod(clock.microseconds(start));
  const double next = std::stod(clock.microseconds(middle));
  const std::string text = clock.microseconds_between(start, middle);
  const double duration = std::stod(text);
  const auto whole = [](double microseconds) { return std::int64_t(microseconds * 1000.0); };
  EXPECT_LE(first + duration, next) << start << " to " << middle;
  EXPECT_LE(whole(first) + whole(duration), whole(next)) << start << " to " << middle;
  const std::int64_t exact =
      picoseconds(clock.microseconds(middle)) - picoseconds(clock.microseconds(start));
  EXPECT_LE(picoseconds(text), exact) << start << " to " << middle;
  EXPECT_GE(picoseconds(text), std::max<std::int64_t>(exact - 2000, 0)) << start;
}

// Cycles of a run of some seconds, as dense and as far apart as operations are.
TEST(TraceClock, NoReaderSeesSlicesOverlap) {
  std::mt19937_64 random(1);
  for (const double hertz : {1e9, 1.7e9, 333e6, 1e6, 7e9}) {
    const TraceClock clock(hertz);
    for (int i = 0; i < 20'000; ++i) {
      const auto start = static_cast<std::int64_t>(random() % 10'000'000'000);
      expect_no_overlap(clock, start, start + 1 + static_cast<std::int64_t>(random() % 1'000'000));
    }
  }
}

// 0.1 + 0.2 is more than 0.3 in doubles, which 100 and 300 cycles of 1 GHz are.
TEST(TraceClock, ADurationIsNoLongerThanADoubleTellsIt) {
  EXPECT_EQ(TraceClock(1e9).microseconds_between(100, 300), "0.199999");
}

TEST(TraceClock, DatesMayCountFromALaterCycleOn) {
  TraceClock clock(1e9);
  clock.begin_at(1'000);
  EXPECT_EQ(clock.microseconds(1'500), "0.500000");
  EXPECT_EQ(clock.microseconds(999), "0.000000");
  EXPECT_EQ(clock.seconds(1'000), "0.000000000000");
  EXPECT_EQ(clock.microseconds_between(900, 1'250), "0.250000");
}

}  // namespace
}  // namespace layerpipe::trace
