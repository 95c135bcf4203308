#include "workloads/base/table.hpp"

#include <gtest/gtest.h>

namespace layerpipe::base {
namespace {

TEST(Table, AlignsNamesLeftAndNumbersRight) {
  Table table({{"Name", "", Align::left}, {"Time", "cycles"}});
  table.add_row({"conv1", "7"});
  table.add_row({"a", "1,234,567"});
  EXPECT_EQ(table.text(),
            "Name        Time\n"
            "          cycles\n"
            "-----  ---------\n"
            "conv1          7\n"
            "a      1,234,567\n");
}

TEST(Table, HasNoLineOfUnitsWithoutUnits) {
  Table table({{"A", "", Align::left}});
  table.add_row({"x"});
  EXPECT_EQ(table.text(), "A\n-\nx\n");
}

TEST(Table, BreaksTitlesThatAreWiderThanAllNumbers) {
  Table table({{"Kept input gradient", "", Align::left},
               {"Slowest processor", "cycles"},
               {"Sent by all links", "bytes"}});
  table.add_row({"a", "1,234", "123,456,789"});
  EXPECT_EQ(table.text(),
            "                       Slowest  Sent by all\n"
            "Kept input gradient  processor        links\n"
            "                        cycles        bytes\n"
            "-------------------  ---------  -----------\n"
            "a                        1,234  123,456,789\n");
}

// Two bytes but one column for u-umlaut; three bytes and two columns for each of the characters of
// "Tokyo" (Unicode East Asian Width W).
TEST(Table, LinesUpNamesInOtherScripts) {
  Table table({{"Name", "", Align::left}, {"N", ""}});
  table.add_row({"\u00fcber", "1"});
  table.add_row({"\u6771\u4eac", "2"});
  EXPECT_EQ(table.text(),
            "Name  N\n"
            "----  -\n"
            "\u00fcber  1\n"
            "\u6771\u4eac  2\n");
}

TEST(DisplayWidth, CountsColumnsOfATerminal) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("conv1"), 5U);
  EXPECT_EQ(display_width("\u00fcber"), 4U);
  EXPECT_EQ(display_width("\u6771\u4eac"), 4U);
}

}  // namespace
}  // namespace layerpipe::base
