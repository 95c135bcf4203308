#include "sim/trace/picture/svg_elements.hpp"

#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <string>

namespace layerpipe::trace {
namespace {

std::string read_back(const std::string& text) {
  pugi::xml_document document;
  const std::string xml = "<t a=\"" + xml_text(text) + "\">" + xml_text(text) + "</t>";
  if (!document.load_string(xml.c_str(), pugi::parse_full)) return "no XML";
  const pugi::xml_node node = document.child("t");
  EXPECT_STREQ(node.attribute("a").value(), node.child_value());
  return node.child_value();
}

TEST(XmlText, IsReadBackByAParser) {
  for (const char* text : {"<b> & \"c\" 'd' ]]> &amp;", "\u00fcber \u4e2d\U0001F600", " two  "}) {
    EXPECT_EQ(read_back(text), text);
  }
}

// XML 1.0, section 2.2: no control characters but tab and line ends, no U+FFFE, no U+FFFF.
TEST(XmlText, LeavesOutWhatXmlCannotHold) {
  EXPECT_EQ(xml_text("a\x01"
                     "b\nc\xff"
                     "d\uFFFEe\uFFFFf\uFFFDg"),
            "a?b?c?d?e?f\uFFFDg");
}

TEST(CutToWidth, KeepsWholeCharacters) {
  EXPECT_EQ(cut_to_width("four", 4 * 6.0, 10.0), "four");
  EXPECT_EQ(cut_to_width("fours", 4 * 6.0 + 0.1, 10.0), "fou\u2026");
  EXPECT_EQ(cut_to_width("\u00fc\u00fc\u00fc", 2 * 6.0 + 0.1, 10.0), "\u00fc\u2026");
  EXPECT_EQ(cut_to_width("four", 1.0, 10.0), "\u2026");
}

// Contrast on white and on black by https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio: blue 5.2 and
// 4.1, bluish green 3.4 and 6.1, vermilion 3.9 and 5.4.
TEST(IsDark, GoesByContrast) {
  EXPECT_TRUE(is_dark(color(TraceKind::forward)));
  EXPECT_FALSE(is_dark(color(TraceKind::weight_gradient)));
  EXPECT_FALSE(is_dark(color(TraceKind::delta_kept)));
  EXPECT_TRUE(is_dark({0, 0, 0, ""}));
  EXPECT_FALSE(is_dark({255, 255, 255, ""}));
}

TEST(SvgColor, IsHexadecimal) { EXPECT_EQ(svg_color({0, 114, 178, ""}), "#0072b2"); }

}  // namespace
}  // namespace layerpipe::trace
