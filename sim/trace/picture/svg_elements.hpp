#pragma once

#include <string>
#include <string_view>

#include "sim/trace/palette.hpp"

namespace layerpipe::trace {

/// `text` between the tags of an XML document or in an attribute: escaped, and on one line. What
/// XML cannot hold becomes `?`.
[[nodiscard]] std::string xml_text(std::string_view text);

/// An estimate in the unit of `font_size`, rather too wide than too narrow: the font is not known.
/// Precondition: `text` is printable UTF-8.
[[nodiscard]] double text_width(std::string_view text, double font_size);

/// `text` itself, or as much of its beginning as fits into `width`, and an ellipsis.
[[nodiscard]] std::string cut_to_width(const std::string& text, double width, double font_size);

/// "#0072b2".
[[nodiscard]] std::string svg_color(const Color& color);

/// True if white letters can be read better on it than black ones (contrast ratio of WCAG 2.1).
[[nodiscard]] bool is_dark(const Color& color);

}  // namespace layerpipe::trace
