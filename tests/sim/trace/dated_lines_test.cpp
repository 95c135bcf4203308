#include "sim/trace/dated_lines.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace layerpipe::trace {
namespace {

TEST(DatedLines, AreWrittenInOrderOfDates) {
  std::ostringstream stream;
  DatedLines lines(stream);
  lines.add(5, FMT_COMPILE("{} {}"), 5, "a");
  lines.add(2, FMT_COMPILE("2"));
  lines.add(9, FMT_COMPILE("9"));
  lines.add(5, FMT_COMPILE("5 b"));
  lines.write_until(5);
  EXPECT_EQ(stream.str(), "2\n5 a\n5 b\n");
  lines.add(7, FMT_COMPILE("7"));
  lines.add(5, FMT_COMPILE("5 c"));
  lines.write_all();
  EXPECT_EQ(stream.str(), "2\n5 a\n5 b\n5 c\n7\n9\n");
}

}  // namespace
}  // namespace layerpipe::trace
