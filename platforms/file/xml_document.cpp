#include "platforms/file/xml_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "workloads/base/text.hpp"

namespace layerpipe::file {

namespace {

/// Throws InputError for a file that does not start with `<`: it is no XML at all, and most likely
/// a workload.
void check_is_xml(std::string_view text, const std::string& file) {
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

/// What SimGrid's parser cannot stand, and where.
struct Trouble {
  std::size_t offset = 0;
  std::string message;
};

/// SimGrid's parser reads white space from its beginning again and again.
std::optional<Trouble> find_white_space(std::string_view text) {
  constexpr std::size_t longest = 10'000;
  std::size_t run = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_white = std::string_view(" \t\r\n").find(text[i]) != std::string_view::npos;
    run = is_white ? run + 1 : 0;
    if (run <= longest) continue;
    return Trouble{
        i, fmt::format("too much white space (expected at most {} bytes in a row)", longest)};
  }
  return std::nullopt;
}

/// The number of a character reference "&#233;" or "&#xE9;", of which `text` follows the "&#".
std::uint32_t character_number(std::string_view text) {
  std::uint32_t number = 0;
  const bool is_hexadecimal = text.starts_with('x');
  if (is_hexadecimal) text.remove_prefix(1);
  std::from_chars(text.data(), text.data() + text.size(), number, is_hexadecimal ? 16 : 10);
  return number;
}

/// SimGrid makes one byte of each reference to a character, which is none of UTF-8's from 128 on.
std::optional<Trouble> find_character_reference(std::string_view text) {
  constexpr std::string_view opening = "&#";
  constexpr std::uint32_t last = 127;
  for (std::size_t i = text.find(opening); i < text.size(); i = text.find(opening, i + 1)) {
    const std::uint32_t number = character_number(text.substr(i + opening.size()));
    if (number > 0 && number <= last) continue;
    return Trouble{i, fmt::format("reference to a character, {} (expected the character itself)",
                                  base::in_quotes(text.substr(
                                      i, std::min<std::size_t>(text.find(';', i) - i, 10) + 1)))};
  }
  return std::nullopt;
}

}  // namespace

XmlDocument::XmlDocument(std::string_view text, std::string file)
    : file_(std::move(file)), line_begins_{0} {
  if (text.starts_with(base::byte_order_mark)) {
    text.remove_prefix(base::byte_order_mark.size());
  }
  check_is_xml(text, file_);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_begins_.push_back(i + 1);
  }
  auto trouble = find_white_space(text);
  if (!trouble) trouble = find_character_reference(text);
  if (trouble) throw InputError(position_at(trouble->offset), trouble->message);
  // A line break in an attribute stays one, as in SimGrid: names have to be the same in both.
  constexpr unsigned int options =
      (pugi::parse_default | pugi::parse_doctype) & ~pugi::parse_wconv_attribute;
  const pugi::xml_parse_result result =
      tree_.load_buffer(text.data(), text.size(), options, pugi::encoding_utf8);
  if (!result) {
    throw InputError(
        position_at(static_cast<std::size_t>(result.offset)),
        fmt::format("not well-formed XML: {} (expected a SimGrid platform)", result.description()));
  }
}

SourcePosition XmlDocument::position(const pugi::xml_node& element) const {
  constexpr std::ptrdiff_t bracket = 1;
  return position_at(
      static_cast<std::size_t>(std::max<std::ptrdiff_t>(element.offset_debug() - bracket, 0)));
}

void XmlDocument::refuse(const pugi::xml_node& element, const std::string& message) const {
  constexpr std::size_t longest = 500;
  const std::string line = base::printable(message.substr(0, longest));
  throw InputError(position(element), message.size() > longest ? line + "..." : line);
}

SourcePosition XmlDocument::position_at(std::size_t offset) const {
  const auto next = std::ranges::upper_bound(line_begins_, offset);
  const auto line = next - line_begins_.begin();
  return {file_, static_cast<int>(line), static_cast<int>(offset - *(next - 1)) + 1};
}

}  // namespace layerpipe::file
