#include "platforms/file/named_element.hpp"

#include <gtest/gtest.h>

namespace layerpipe::file {
namespace {

constexpr std::string_view text =
    "<platform>\n"
    "<host id=\"p1\"/>\n"
    "<host id=\"p10\"/>\n"
    "<link id=\"p1\"/>\n"
    "<route src=\"p1\" dst=\"p10\"/>\n"
    "<route src=\"p10\" dst=\"p10\"/>\n"
    "<zone id=\"\"/>\n"
    "</platform>\n";

int line_of(std::string_view message) {
  const auto position = position_of_named(message, text, "f.xml");
  return position ? position->line : 0;
}

TEST(NamedElement, IsTheLastOneOfThatName) { EXPECT_EQ(line_of("a second link 'p1'."), 5); }

TEST(NamedElement, IsTheOneWithMostNames) {
  EXPECT_EQ(line_of("no way from p1 to p10"), 6);
  EXPECT_EQ(line_of("no way from p10"), 6);
}

TEST(NamedElement, IsNamedByWholeWords) {
  EXPECT_EQ(line_of("xp1 and p1x and p100"), 0);
  EXPECT_EQ(line_of(""), 0);
  EXPECT_EQ(line_of("xp1, then p1"), 5);
}

}  // namespace
}  // namespace layerpipe::file
