#include <gtest/gtest.h>

#include <limits>

#include "workloads/base/units.hpp"

namespace layerpipe::base {
namespace {

TEST(FormatCount, SeparatesThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1'000), "1,000");
  EXPECT_EQ(format_count(32'007'170), "32,007,170");
}

TEST(FormatCount, TakesTheNounThatFits) {
  EXPECT_EQ(format_count(0, "minibatch", "minibatches"), "0 minibatches");
  EXPECT_EQ(format_count(1, "minibatch", "minibatches"), "1 minibatch");
  EXPECT_EQ(format_count(1'001, "minibatch", "minibatches"), "1,001 minibatches");
}

TEST(FormatBytes, IsDecimal) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1'000), "1.0 kB");
  EXPECT_EQ(format_bytes(143'000'000), "143.0 MB");
  EXPECT_EQ(format_bytes(max_exact), "9.0 PB");
}

TEST(FormatBytes, RoundsIntoTheNextUnit) {
  EXPECT_EQ(format_bytes(999'949), "999.9 kB");
  EXPECT_EQ(format_bytes(999'950), "1.0 MB");
}

TEST(FormatSeconds, ChoosesTheUnit) {
  EXPECT_EQ(format_seconds(0.0), "0 s");
  EXPECT_EQ(format_seconds(100e-9), "100.0 ns");
  EXPECT_EQ(format_seconds(2.5e-6), "2.5 us");
  EXPECT_EQ(format_seconds(0.03200717), "32.0 ms");
  EXPECT_EQ(format_seconds(0.99996), "1.0 s");
  EXPECT_EQ(format_seconds(7200.0), "7,200.0 s");
  EXPECT_EQ(format_seconds(32'007'170.0), "32,007,170.0 s");
  EXPECT_EQ(format_seconds(999.96), "1,000.0 s");
  EXPECT_EQ(format_seconds(1.93e-10), "193.0 ps");
  EXPECT_EQ(format_seconds(1e-18), "1.0 as");
}

TEST(FormatGivenSeconds, HasTheDigitsThatTellItApart) {
  EXPECT_EQ(format_given_seconds(0.0), "0 s");
  EXPECT_EQ(format_given_seconds(1e-7), "100 ns");
  EXPECT_EQ(format_given_seconds(1e-10), "100 ps");
  EXPECT_EQ(format_given_seconds(1.00001e-6), "1.00001 us");
  EXPECT_EQ(format_given_seconds(0.9999999), "1 s");
  EXPECT_EQ(format_given_seconds(-1e-3), "-1 ms");
  EXPECT_EQ(format_given_seconds(std::numeric_limits<double>::infinity()), "inf s");
}

TEST(FormatPercent, HasOneDecimal) {
  EXPECT_EQ(format_percent(0.0), "0.0 %");
  EXPECT_EQ(format_percent(0.4126), "41.3 %");
  EXPECT_EQ(format_percent(1.0), "100.0 %");
}

}  // namespace
}  // namespace layerpipe::base
