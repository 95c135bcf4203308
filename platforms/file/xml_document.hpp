#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/base/error.hpp"

namespace layerpipe::file {

/// Well-formed XML that knows where its elements stand. Entities other than XML's own five and
/// references to ASCII characters are never expanded.
class XmlDocument {
 public:
  /// `file` names the text in errors. A byte order mark is left out. Throws InputError, with line
  /// and column, unless `text` is well-formed, and for what SimGrid's parser cannot stand: long
  /// white space, references to other characters than ASCII's.
  XmlDocument(std::string_view text, std::string file);

  [[nodiscard]] const pugi::xml_document& tree() const { return tree_; }
  [[nodiscard]] const std::string& file() const { return file_; }

  /// Of the `<` of an element; columns count bytes.
  [[nodiscard]] SourcePosition position(const pugi::xml_node& element) const;

  /// Throws InputError at `element`. Of the message, which may hold names from the file, it takes
  /// what is printable, and no more than 500 bytes.
  [[noreturn]] void refuse(const pugi::xml_node& element, const std::string& message) const;

 private:
  [[nodiscard]] SourcePosition position_at(std::size_t offset) const;

  std::string file_;
  std::vector<std::size_t> line_begins_;
  pugi::xml_document tree_;
};

}  // namespace layerpipe::file
