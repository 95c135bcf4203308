#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/base/error.hpp"

namespace layerpipe::base {

/// One value of a JSON file, and where it stands.
struct JsonNode {
  enum class Kind {
    null,
    boolean,
    number,
    text,
    list,    ///< children are the items
    object,  ///< children are key, value, key, value, ...; keys are text, and may come twice
  };

  Kind kind = Kind::null;
  std::size_t offset = 0;  ///< of the value's first byte in the document's text
  double number = 0.0;
  std::string text;
  std::vector<JsonNode> children;
};

/// What a JSON file may have at most: more than `schedule` writes for the largest workload. No
/// file, however strange, takes more than about two seconds and 300 MB.
struct JsonLimits {
  static constexpr std::size_t bytes = std::size_t{24} << 20;
  static constexpr std::size_t white_space = 100'000;  ///< bytes in a row
  static constexpr std::size_t depth = 16;             ///< lists and objects within each other
  static constexpr std::size_t values = 1'000'000;     ///< and keys, altogether
};

/// The text of one JSON file (RFC 8259) and the tree of its values.
class JsonDocument {
 public:
  /// Throws InputError, with the place in `file`, unless `text` is one JSON value within
  /// JsonLimits.
  JsonDocument(std::string_view text, std::string file);

  [[nodiscard]] const JsonNode& root() const { return root_; }

  /// Line and column of a byte of the text; columns count characters.
  [[nodiscard]] SourcePosition position(std::size_t offset) const;

 private:
  std::string file_;
  std::string text_;
  JsonNode root_;
};

}  // namespace layerpipe::base
