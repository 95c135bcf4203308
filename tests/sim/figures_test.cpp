#include "sim/report/figures.hpp"

#include <gtest/gtest.h>

#include "tests/support/sample_result.hpp"

namespace layerpipe::sim {
namespace {

// p0: 0 + 80 + 0 + 150 + 50 = 280, p1: 100 + 200 + 20 + 100 + 100 = 520; p2 is idle and left out.
TEST(Figures, CountStallsOfTheProcessorsUsed) {
  EXPECT_EQ(total(stalls_of_used(tests::sample_result())), 800);
  EXPECT_DOUBLE_EQ(stalled_share(tests::sample_result()), 0.4);
}

// A processor without layers computes parts of input gradients: it is used, and stalls.
TEST(Figures, TellAProcessorWithoutLayersFromAnIdleOne) {
  Result result = tests::sample_result();
  EXPECT_TRUE(is_idle(result.processors[2]));
  result.processors[2].busy_cycles_per_minibatch = 10;
  EXPECT_FALSE(is_idle(result.processors[2]));
  EXPECT_EQ(total(stalls_of_used(result)), 1800);
}

TEST(Figures, TakeTheBusiestProcessorOrLink) {
  Result result = tests::sample_result();
  EXPECT_EQ(busiest(result).name, "processor p0");
  result.links[1].busy_fraction = 0.95;
  EXPECT_EQ(busiest(result).name, "link down");
}

TEST(FormatCycles, ShowsADecimalOnlyWhereItIsNeeded) {
  EXPECT_EQ(format_cycles(32'007'170.0), "32,007,170");
  EXPECT_EQ(format_cycles(1234.56), "1,234.6");
  EXPECT_EQ(format_cycles(999.96), "1,000");
}

TEST(FormatRate, AlwaysShowsADecimal) {
  EXPECT_EQ(format_rate(594.0), "594.0");
  EXPECT_EQ(format_rate(1263.71), "1,263.7");
}

TEST(LayerRange, NamesFirstAndLast) {
  EXPECT_EQ(layer_range({}), "-");
  EXPECT_EQ(layer_range({"conv1"}), "conv1");
  EXPECT_EQ(layer_range({"conv1", "conv2", "fc"}), "conv1..fc");
}

}  // namespace
}  // namespace layerpipe::sim
