#include "workloads/base/json_value.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/base/error.hpp"
#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::base {
namespace {

using base::in_quotes;

std::string_view describe(JsonNode::Kind kind) {
  switch (kind) {
    case JsonNode::Kind::null:
      return "null";
    case JsonNode::Kind::boolean:
      return "a boolean";
    case JsonNode::Kind::number:
      return "a number";
    case JsonNode::Kind::text:
      return "text";
    case JsonNode::Kind::list:
      return "a list";
    case JsonNode::Kind::object:
      return "an object";
  }
  throw InternalError("unknown kind of JSON value");
}

}  // namespace

void JsonValue::fail(const std::string& message) const { throw InputError(position(), message); }

void JsonValue::require(JsonNode::Kind kind) const {
  if (node_->kind == kind) return;
  fail(fmt::format("{} is {} (expected {})", key_, describe(node_->kind), describe(kind)));
}

std::string_view JsonValue::text() const {
  require(JsonNode::Kind::text);
  return node_->text;
}

double JsonValue::number() const {
  require(JsonNode::Kind::number);
  return node_->number;
}

std::vector<JsonValue> JsonValue::items() const {
  require(JsonNode::Kind::list);
  std::vector<JsonValue> result;
  result.reserve(node_->children.size());
  for (const JsonNode& child : node_->children) result.push_back({*document_, child, key_});
  return result;
}

JsonValue JsonValue::at(std::string_view key) const {
  const std::optional<JsonValue> found = entry(key);
  if (!found) fail_missing(key);
  return *found;
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  const std::optional<JsonValue> found = entry(key);
  return found && found->node_->kind != JsonNode::Kind::null ? found : std::nullopt;
}

/// What stands under `key`, if it is there.
std::optional<JsonValue> JsonValue::entry(std::string_view key) const {
  require(JsonNode::Kind::object);
  std::optional<JsonValue> found;
  for (std::size_t i = 0; i < node_->children.size(); i += 2) {
    const JsonNode& candidate = node_->children[i];
    if (candidate.text != key) continue;
    if (found) {
      JsonValue(*document_, candidate, key)
          .fail(fmt::format("duplicate key {} (expected once)", in_quotes(key)));
    }
    found = JsonValue(*document_, node_->children[i + 1], candidate.text);
  }
  return found;
}

void JsonValue::fail_missing(std::string_view key) const {
  constexpr std::size_t most_candidates = 100;
  std::vector<std::string_view> keys;
  for (std::size_t i = 0; i < std::min(node_->children.size(), 2 * most_candidates); i += 2) {
    keys.emplace_back(node_->children[i].text);
  }
  const auto near = base::nearest(key, keys);
  fail(fmt::format("missing key {} (expected in {}{})", in_quotes(key), key_,
                   near ? fmt::format("; nearest: {}", base::printable(*near)) : ""));
}

}  // namespace layerpipe::base
