#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/base/json_document.hpp"

namespace layerpipe::base {

/// A value of a JSON document, read as the type that the caller expects. Every function throws
/// InputError with file, line, column and the value's key if it is something else. Must not outlive
/// the document.
class JsonValue {
 public:
  /// The outermost value.
  explicit JsonValue(const JsonDocument& document)
      : JsonValue(document, document.root(), "the file") {}

  [[nodiscard]] SourcePosition position() const { return document_->position(node_->offset); }

  /// Throws InputError at the value's position.
  [[noreturn]] void fail(const std::string& message) const;

  [[nodiscard]] std::string_view text() const;
  [[nodiscard]] double number() const;

  /// The items of a list. Each has the list's key.
  [[nodiscard]] std::vector<JsonValue> items() const;

  /// What an object has under `key`; refuses one that does not have it, or twice. Other keys do not
  /// matter.
  [[nodiscard]] JsonValue at(std::string_view key) const;

  /// The same; none if there is no such key, or null under it.
  [[nodiscard]] std::optional<JsonValue> find(std::string_view key) const;

  [[nodiscard]] bool is_text() const { return node_->kind == JsonNode::Kind::text; }

 private:
  JsonValue(const JsonDocument& document, const JsonNode& node, std::string_view key)
      : document_(&document), node_(&node), key_(key) {}

  [[nodiscard]] std::optional<JsonValue> entry(std::string_view key) const;
  void require(JsonNode::Kind kind) const;
  [[noreturn]] void fail_missing(std::string_view key) const;

  const JsonDocument* document_;
  const JsonNode* node_;
  std::string_view key_;
};

}  // namespace layerpipe::base
