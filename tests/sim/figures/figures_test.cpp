#include "sim/figures/figures.hpp"

#include <gtest/gtest.h>

#include "tests/support/sample_result.hpp"

namespace layerpipe::figures {
namespace {

using namespace metrics;

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
  result.links[1].busy_fraction.reset();
  EXPECT_EQ(busiest(result).name, "processor p0");
}

// A channel sends one transfer at a time, also over links of which each transfer has all.
TEST(Figures, TakeAChannelThatIsVisiblyBusier) {
  Result result = tests::sample_result();
  result.channels[0].busy_fraction = 0.9004;
  EXPECT_EQ(busiest(result).name, "processor p0");
  result.channels[0].busy_fraction = 0.91;
  result.channels[1].busy_fraction = 0.92;
  EXPECT_EQ(busiest(result).name, "channel p1 -> p0");
  EXPECT_EQ(busiest(result).fraction, 0.92);
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

TEST(FormatRate, HasThreeSignificantDigitsOfASmallOne) {
  EXPECT_EQ(format_rate(99.96), "100.0");
  EXPECT_EQ(format_rate(12.34), "12.3");
  EXPECT_EQ(format_rate(9.996), "10.0");
  EXPECT_EQ(format_rate(1.0), "1.00");
  EXPECT_EQ(format_rate(0.0286087), "0.0286");
  EXPECT_EQ(format_rate(0.00000123456), "0.00000123");
  EXPECT_EQ(format_rate(0.000000123456), "1.23e-07");
  EXPECT_EQ(format_rate(0.0), "0.0");
}

TEST(FormatFrequency, HasAUnitOfItsSize) {
  EXPECT_EQ(format_frequency(1e9), "1 GHz");
  EXPECT_EQ(format_frequency(1.7e9), "1.7 GHz");
  EXPECT_EQ(format_frequency(286'087.0), "286 kHz");
  EXPECT_EQ(format_frequency(999'999.0), "1 MHz");
  EXPECT_EQ(format_frequency(0.1), "0.1 Hz");
  EXPECT_EQ(format_frequency(1e13), "10,000 GHz");
  EXPECT_EQ(format_frequency(1e18), "1,000,000,000 GHz");
}

TEST(LayerRanges, NameFirstAndLastOfWhatLiesTogether) {
  metrics::Result result;
  for (const char* name : {"conv1", "conv2", "fc1", "fc2", "fc3"}) {
    result.layers.emplace_back().name = name;
  }
  const auto ranges = [&](const std::vector<std::string>& layers) {
    metrics::ProcessorResult processor;
    processor.layers = layers;
    return layer_ranges(result, processor);
  };
  EXPECT_EQ(ranges({}), "-");
  EXPECT_EQ(ranges({"conv1"}), "conv1");
  EXPECT_EQ(ranges({"conv1", "conv2", "fc1"}), "conv1..fc1");
  EXPECT_EQ(ranges({"conv1", "fc1", "fc2"}), "conv1, fc1..fc2");
}

}  // namespace
}  // namespace layerpipe::figures
