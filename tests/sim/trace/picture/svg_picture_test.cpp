#include "sim/trace/picture/svg_picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <pugixml.hpp>
#include <sstream>
#include <string>

#include "sim/trace/svg_trace.hpp"
#include "tests/support/small_trace.hpp"

namespace layerpipe::trace {
namespace {

std::string file(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string drawn(const std::vector<Chart>& charts) {
  std::ostringstream stream;
  write_svg(stream, charts);
  return stream.str();
}

/// One processor, one minibatch of `cycles` at 1 GHz, shown from `begin` to `end`.
Chart one_bar(std::int64_t cycles, const TraceSpan& span) {
  Chart chart;
  chart.subject = "net";
  chart.schedule = "test";
  chart.span = span;
  chart.lines = {{"p0", "", false}};
  chart.looks = {{Paint::delta_lent, "\u03b4\u2033", "conv2", "2", "delta'' conv2"}};
  chart.bars = {{0, 0, 7, 0, cycles}};
  return chart;
}

pugi::xml_document parsed(const std::string& svg) {
  pugi::xml_document document;
  const auto result = document.load_string(svg.c_str(), pugi::parse_full);
  EXPECT_TRUE(result) << result.description();
  return document;
}

/// Of each bar, its text and its rectangle.
std::vector<pugi::xml_node> bars(const pugi::xml_document& document) {
  std::vector<pugi::xml_node> result;
  for (const auto& found : document.select_nodes("//g[@class='bars']/g")) {
    result.push_back(found.node());
  }
  return result;
}

// Looked at, as rsvg-convert renders it, when it was made.
TEST(SvgPicture, OfASmallRun) {
  const std::string path = LAYERPIPE_SOURCE_DIR "/tests/data/two_layer_run.svg";
  EXPECT_EQ(tests::small_trace<SvgTrace>(), file(path));
}

TEST(SvgPicture, HoldsAnyNames) {
  machine::Machine machine = tests::test_machine(3);
  machine.processors[0] = "<p> & \"q\" \x01\xff";
  machine.processors[1] = std::string(300, 'x');
  contract::Schedule schedule = tests::two_layer_schedule();
  schedule.layer_names[0] = "]]> \u4e2d</title>";
  const auto document = parsed(tests::small_trace<SvgTrace>(machine, schedule));
  const auto first = bars(document).at(0);
  EXPECT_THAT(first.child_value("title"),
              testing::StartsWith("FP ]]> \u4e2d</title>, minibatch 0"));
  std::vector<std::string> names;
  for (const auto& name : document.select_nodes("//text[@class='name']/title")) {
    names.emplace_back(name.node().child_value());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"<p> & \"q\" ??", machine.processors[1]}));
}

// Of 100 cycles, 40 to 60 are shown: the bar takes all of the width, and says all that it is.
TEST(SvgPicture, CutsBarsAtItsEndsButNotWhatTheySay) {
  const auto document = parsed(drawn({one_bar(100, {40, 60})}));
  const auto bar = bars(document).at(0);
  EXPECT_EQ(bar.child("rect").attribute("width").as_double(), 860.0);
  EXPECT_STREQ(bar.child_value("title"),
               "delta'' conv2, minibatch 7\n100 cycles (100.0 ns), from 0 to 100");
}

// 100 ns and 50 ns.
TEST(SvgPicture, HasOneScaleForAllCharts) {
  const auto document = parsed(drawn({one_bar(50, {0, 50}), one_bar(100, {0, 100})}));
  const auto found = bars(document);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].child("rect").attribute("width").as_double(), 430.0);
  EXPECT_EQ(found[1].child("rect").attribute("width").as_double(), 860.0);
  EXPECT_EQ(found[0].child("rect").attribute("x").as_double(),
            found[1].child("rect").attribute("x").as_double());
  EXPECT_LT(found[0].child("rect").attribute("y").as_double(),
            found[1].child("rect").attribute("y").as_double());
}

/// What is written in a bar of `cycles`, beside one that fills the picture's 860 pixels with 860
/// cycles.
std::string label_of(std::int64_t cycles) {
  const auto document = parsed(drawn({one_bar(cycles, {0, cycles}), one_bar(860, {0, 860})}));
  std::string text;
  for (const auto& part : bars(document).at(0).children("text")) {
    text += std::string(part.child_value()) + "|";
  }
  return text;
}

// A letter is taken for 0.6 of its size, 11 or 9.5 pixels; 6 pixels are left free. So eight letters
// need 58.8 pixels, three 25.8, two 19.2, and the digit below 11.7.
TEST(SvgPicture, LabelsBarsAsFarAsThereIsRoom) {
  EXPECT_EQ(label_of(59), "\u03b4\u2033 conv2|7|");
  EXPECT_EQ(label_of(58), "\u03b4\u20332|7|");
  EXPECT_EQ(label_of(26), "\u03b4\u20332|7|");
  EXPECT_EQ(label_of(25), "\u03b4\u2033|7|");
  EXPECT_EQ(label_of(20), "\u03b4\u2033|7|");
  EXPECT_EQ(label_of(19), "7|");
  EXPECT_EQ(label_of(12), "7|");
  EXPECT_EQ(label_of(11), "");
}

TEST(SvgPicture, OfNoTimeHasNoBars) {
  EXPECT_TRUE(bars(parsed(drawn({one_bar(0, {0, 0})}))).empty());
}

// In grey, too: the lent part is hatched, the part that stays is plain.
TEST(Paint, TellsLentPartsByMoreThanColour) {
  EXPECT_NE(hatch(Paint::delta_lent), "");
  EXPECT_EQ(hatch(Paint::delta_kept), "");
}

// The picture of one bar is 1100 pixels wide at most, so has no room for 300 letters of 15 pixels.
TEST(SvgPicture, CutsTitlesThatAreTooLong) {
  Chart chart = one_bar(7, {0, 7});
  chart.subject = std::string(300, 'n');
  chart.schedule = std::string(300, 's') + ".json";
  const pugi::xml_document document = parsed(drawn({chart}));
  EXPECT_EQ(document.select_node("/svg/title").node().text().get(), chart.subject);
  EXPECT_THAT(document.select_node("//text[@class='title']").node().text().get(),
              testing::MatchesRegex("n+\u2026"));
  EXPECT_THAT(document.select_node("//tspan[@class='schedule']").node().text().get(),
              testing::MatchesRegex("s+\u2026"));
}

}  // namespace
}  // namespace layerpipe::trace
