#include "sim/cli/values.hpp"

#include <gtest/gtest.h>

namespace layerpipe::cli {
namespace {

using namespace options;

TEST(ParseArray, TakesRowsAndColumns) {
  EXPECT_EQ(parse_array("32x64").rows, 32);
  EXPECT_EQ(parse_array("32x64").cols, 64);
  for (const char* text : {"", "32", "x", "32x", "x32", "32x0", "32X32", "32x32x32", "-1x2",
                           "1.5x2", "0x20", "4294967296x1"}) {
    EXPECT_THROW(static_cast<void>(parse_array(text)), InputError) << text;
  }
}

TEST(ParseAlpha, TakesADecimalNumberAbove1) {
  EXPECT_EQ(parse_alpha("1.001"), 1.001);
  EXPECT_EQ(parse_alpha("2"), 2.0);
  for (const char* text :
       {"", "1", "1.0", "0.5", "-2", "+2", ".5", "nan", "inf", "1e1", "0x2", "1.5 ", "11", "1,5"}) {
    EXPECT_THROW(static_cast<void>(parse_alpha(text)), InputError) << text;
  }
}

TEST(ParseSize, TakesDigitsAsBytes) {
  EXPECT_EQ(parse_size("0"), 0);
  EXPECT_EQ(parse_size("64"), 64);
  EXPECT_EQ(parse_size("64kB"), 64'000);
  EXPECT_EQ(parse_size("1 KiB"), 1024);
  for (const char* text : {"", "064", "-1", "64kb", "1.5", "1e3"}) {
    EXPECT_THROW(static_cast<void>(parse_size(text)), InputError) << text;
  }
}

}  // namespace
}  // namespace layerpipe::cli
