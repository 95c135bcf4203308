#include "sim/trace/picture/time_axis.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace layerpipe::trace {
namespace {

std::vector<std::string> labels(double seconds, int most) {
  std::vector<std::string> result;
  for (const Tick& tick : time_ticks(seconds, most)) result.push_back(tick.label);
  return result;
}

using Labels = std::vector<std::string>;

// The smallest step of 1, 2, 5, 10, ... of which no more than `most` fit.
TEST(TimeAxis, HasRoundSteps) {
  EXPECT_EQ(labels(0.16, 12), (Labels{"0", "20 ms", "40 ms", "60 ms", "80 ms", "100 ms", "120 ms",
                                      "140 ms", "160 ms"}));
  EXPECT_EQ(labels(0.16, 3), (Labels{"0", "100 ms"}));
  EXPECT_EQ(labels(12.0, 12).back(), "12 s");
  EXPECT_EQ(labels(13.0, 12).back(), "12 s");
  EXPECT_EQ(labels(13.0, 12).at(1), "2 s");
}

// One unit for all, in which each is a whole number.
TEST(TimeAxis, HasAUnitThatItsStepIsWholeIn) {
  EXPECT_EQ(labels(23e-9, 5), (Labels{"0", "5 ns", "10 ns", "15 ns", "20 ns"}));
  EXPECT_EQ(labels(2.5e-3, 5),
            (Labels{"0", "500 us", "1,000 us", "1,500 us", "2,000 us", "2,500 us"}));
  EXPECT_EQ(labels(1e-12, 2), (Labels{"0", "500 fs", "1,000 fs"}));
  EXPECT_EQ(labels(3e9, 3), (Labels{"0", "1,000,000,000 s", "2,000,000,000 s", "3,000,000,000 s"}));
}

// 0.1 x 3 is a little more than 0.3 in doubles.
TEST(TimeAxis, EndsAtItsEndWhateverRoundingDoes) {
  EXPECT_EQ(labels(0.3, 3), (Labels{"0", "100 ms", "200 ms", "300 ms"}));
  EXPECT_EQ(labels(0.7, 7).size(), 8U);
}

}  // namespace
}  // namespace layerpipe::trace
