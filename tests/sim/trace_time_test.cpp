#include "sim/trace/trace_time.hpp"

#include <gtest/gtest.h>

namespace layerpipe::sim {
namespace {

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

}  // namespace
}  // namespace layerpipe::sim
