#include "platforms/xml_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace layerpipe::platforms {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// A file that does not start with `<` is no XML at all; most likely it is a workload.
void check_is_xml(std::string_view text, const std::string& file) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    throw InputError({file, 0, 0}, "is empty (expected a SimGrid platform in XML)");
  }
  if (text[first] != '<') {
    throw InputError(
        {file, 0, 0},
        "is not XML (expected a SimGrid platform; are platform and workload swapped?)");
  }
}

}  // namespace

XmlDocument::XmlDocument(std::string_view text, std::string file)
    : file_(std::move(file)), line_begins_{0} {
  check_is_xml(text, file_);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_begins_.push_back(i + 1);
  }
  // A line break in an attribute stays one, as in SimGrid: names have to be the same in both.
  constexpr unsigned int options =
      (pugi::parse_default | pugi::parse_doctype) & ~pugi::parse_wconv_attribute;
  const pugi::xml_parse_result result =
      tree_.load_buffer(text.data(), text.size(), options, pugi::encoding_utf8);
  if (!result) {
    throw InputError(position_at(static_cast<std::size_t>(result.offset)),
                     fmt::format("not well-formed XML: {}", result.description()));
  }
}

SourcePosition XmlDocument::position(const pugi::xml_node& element) const {
  constexpr std::ptrdiff_t bracket = 1;
  return position_at(
      static_cast<std::size_t>(std::max<std::ptrdiff_t>(element.offset_debug() - bracket, 0)));
}

void XmlDocument::refuse(const pugi::xml_node& element, const std::string& message) const {
  throw InputError(position(element), message);
}

SourcePosition XmlDocument::position_at(std::size_t offset) const {
  const auto next = std::ranges::upper_bound(line_begins_, offset);
  const auto line = next - line_begins_.begin();
  return {file_, static_cast<int>(line), static_cast<int>(offset - *(next - 1)) + 1};
}

}  // namespace layerpipe::platforms
