#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/base/error.hpp"

namespace layerpipe::base {

/// One node of a YAML file as it is written: nothing is interpreted yet.
struct YamlNode {
  enum class Kind {
    empty,     ///< nothing, `~` or `null`
    plain,     ///< text without quotes
    quoted,    ///< text that is quoted or a block
    sequence,  ///< children are the items
    mapping,   ///< children are key, value, key, value, ...; keys are text and unique
  };

  Kind kind = Kind::empty;
  std::size_t offset = 0;  ///< of the node's first byte in the document's text
  std::string text;
  std::vector<YamlNode> children;
};

/// What a YAML file may have at most, so that no file, however strange, takes more than about a
/// second and 200 MB.
struct YamlLimits {
  static constexpr std::size_t bytes = std::size_t{2} << 20;
  static constexpr std::size_t depth = 16;            ///< collections within collections
  static constexpr std::size_t entries = 10'000;      ///< items of a list, or keys of a mapping
  static constexpr std::size_t flow_marks = 250'000;  ///< [, { and comma, wherever they stand
};

/// The text of one YAML file and the tree of its nodes.
class YamlDocument {
 public:
  /// Throws InputError unless `text` holds exactly one YAML document, within YamlLimits, without
  /// anchors, aliases, tags and duplicate keys. `file` names it in errors.
  YamlDocument(std::string_view text, std::string file);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const YamlNode& root() const { return root_; }

  /// Line and column of a byte of the text; columns count characters.
  [[nodiscard]] SourcePosition position(std::size_t offset) const;

 private:
  std::string file_;
  std::string text_;
  YamlNode root_;
};

}  // namespace layerpipe::base
