#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/base/units.hpp"
#include "workloads/base/yaml_document.hpp"

namespace layerpipe::base {

class YamlMapping;

/// A value of a YAML document, read as the type that the caller expects. Every function throws
/// InputError with file, line, column and the value's key if it is something else. Must not outlive
/// the document.
class YamlValue {
 public:
  /// The outermost value.
  explicit YamlValue(const YamlDocument& document)
      : YamlValue(document, document.root(), std::string_view()) {}

  /// That the value, or the list that it is an item of, belongs to.
  [[nodiscard]] std::string_view key() const { return key_; }

  [[nodiscard]] SourcePosition position() const { return document_->position(node_->offset); }

  /// Throws InputError at the value's position.
  [[noreturn]] void fail(const std::string& message) const;

  [[nodiscard]] bool is_list() const { return node_->kind == YamlNode::Kind::sequence; }

  /// With or without quotes, and whatever it may be read as.
  [[nodiscard]] bool is_text() const;

  /// Digits without quotes.
  [[nodiscard]] std::int64_t whole_number(const Range& range) const;

  /// `true` or `false`, without quotes.
  [[nodiscard]] bool boolean() const;

  /// Printable text on one line, of 1 to `max_bytes` bytes. What YAML reads as a number or a
  /// boolean is no text, unless it is quoted.
  [[nodiscard]] std::string text(std::size_t max_bytes) const;

  /// One word, for the caller to look up.
  [[nodiscard]] std::string_view word() const;

  [[nodiscard]] std::int64_t bytes() const;
  [[nodiscard]] Duration duration() const;

  /// The items of a list; `expected` completes "expected ..." for something else.
  [[nodiscard]] std::vector<YamlValue> items(std::string_view expected) const;

  /// `what` names the mapping in errors: "a conv2d layer".
  [[nodiscard]] YamlMapping mapping(std::string_view what) const;

 private:
  friend class YamlMapping;

  YamlValue(const YamlDocument& document, const YamlNode& node, std::string_view key)
      : document_(&document), node_(&node), key_(key) {}

  [[noreturn]] void fail_type(std::string_view expected) const;

  /// parse(text), with the position and the key in front of its error.
  template <typename Parse>
  [[nodiscard]] auto parsed(Parse parse) const;

  const YamlDocument* document_;
  const YamlNode* node_;
  std::string_view key_;
};

/// A mapping whose keys are known. Must not outlive the document.
class YamlMapping {
 public:
  /// Throws InputError at the first key that is not in `known`.
  void allow_only(std::span<const std::string_view> known) const;

  [[nodiscard]] bool has(std::string_view key) const { return find(key).has_value(); }

  /// None if there is no such key.
  [[nodiscard]] std::optional<YamlValue> find(std::string_view key) const;

  /// Throws InputError if there is no such key.
  [[nodiscard]] YamlValue at(std::string_view key) const;

  /// Throws InputError at the mapping's position.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  friend class YamlValue;

  YamlMapping(const YamlDocument& document, const YamlNode& node, std::string_view what);

  const YamlDocument* document_;
  const YamlNode* node_;
  std::string what_;
};

}  // namespace layerpipe::base
