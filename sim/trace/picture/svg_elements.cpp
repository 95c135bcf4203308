#include "sim/trace/picture/svg_elements.hpp"

#include <fmt/format.h>

#include <cmath>

#include "workloads/base/table.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::trace {
namespace {

constexpr std::string_view ellipsis = "\u2026";

/// U+FFFE and U+FFFF, which are UTF-8 but no characters of XML 1.0.
bool is_no_character(std::string_view text) {
  return text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
}

std::string_view escaped(const char& c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {&c, 1};
  }
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// Of a component of sRGB.
double linear(std::uint8_t component) {
  const double c = component / 255.0;
  return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

}  // namespace

std::string xml_text(std::string_view text) {
  const std::string line = base::printable(text);
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_no_character(std::string_view(line).substr(i))) {
      result += '?';
      i += 2;
    } else {
      result += escaped(line[i]);
    }
  }
  return result;
}

double text_width(std::string_view text, double font_size) {
  // DejaVu Sans, among the widest, takes 0.6 of the size for a letter of running text.
  return 0.6 * font_size * static_cast<double>(base::display_width(text));
}

std::string cut_to_width(const std::string& text, double width, double font_size) {
  if (text_width(text, font_size) <= width) return text;
  std::string result;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    for (end = begin + 1; end < text.size() && !begins_character(text[end]);) ++end;
    const std::string longer = text.substr(0, end) + std::string(ellipsis);
    if (text_width(longer, font_size) > width) break;
    result = longer;
  }
  return result.empty() ? std::string(ellipsis) : result;
}

std::string svg_color(const Color& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

bool is_dark(const Color& color) {
  const double luminance =
      0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
  const double on_white = 1.05 / (luminance + 0.05);
  const double on_black = (luminance + 0.05) / 0.05;
  return on_white > on_black;
}

}  // namespace layerpipe::trace
