#include "workloads/base/strict_yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::base {
namespace {

std::string_view describe(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::empty:
      return "empty";
    case YamlNode::Kind::plain:
      return "unquoted text";
    case YamlNode::Kind::quoted:
      return "quoted text";
    case YamlNode::Kind::sequence:
      return "a list";
    case YamlNode::Kind::mapping:
      return "a mapping";
  }
  throw InternalError("unknown kind of YAML node");
}

bool is_boolean(std::string_view text) { return text == "true" || text == "false"; }

bool is_number(std::string_view text) {
  double ignored = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return end == text.data() + text.size() && status != std::errc::invalid_argument;
}

}  // namespace

void YamlValue::fail(const std::string& message) const { throw InputError(position(), message); }

void YamlValue::fail_type(std::string_view expected) const {
  fail(fmt::format("{} is {} (expected {})", key_.empty() ? "the file" : key_,
                   describe(node_->kind), expected));
}

bool YamlValue::is_text() const {
  return node_->kind == YamlNode::Kind::plain || node_->kind == YamlNode::Kind::quoted;
}

template <typename Parse>
auto YamlValue::parsed(Parse parse) const {
  try {
    return parse(node_->text);
  } catch (const InputError& error) {
    fail(fmt::format("{}: {}", key_, error.what()));
  }
}

std::int64_t YamlValue::whole_number(const Range& range) const {
  if (node_->kind != YamlNode::Kind::plain) fail_type("a whole number");
  return parsed([&](std::string_view text) { return parse_whole_number(text, range); });
}

bool YamlValue::boolean() const {
  if (node_->kind != YamlNode::Kind::plain) fail_type("true or false");
  if (!is_boolean(node_->text)) {
    fail(fmt::format("{}: {} is not a boolean (expected true or false)", key_,
                     in_quotes(node_->text)));
  }
  return node_->text == "true";
}

std::string YamlValue::text(std::size_t max_bytes) const {
  if (!is_text()) fail_type("text");
  const std::string& text = node_->text;
  if (node_->kind == YamlNode::Kind::plain && (is_boolean(text) || is_number(text))) {
    fail(fmt::format("{}: {} is no text (expected text; put it in quotes)", key_, in_quotes(text)));
  }
  if (text.empty() || text.size() > max_bytes || !is_printable_line(text)) {
    fail(fmt::format("{}: {} cannot be used (expected 1 to {} bytes of printable text)", key_,
                     in_quotes(text), max_bytes));
  }
  return text;
}

std::string_view YamlValue::word() const {
  if (!is_text()) fail_type("a word");
  return node_->text;
}

std::int64_t YamlValue::bytes() const {
  if (!is_text()) fail_type("a size such as 4 MB");
  return parsed(parse_bytes);
}

Duration YamlValue::duration() const {
  if (!is_text()) fail_type("a duration such as 10 ms");
  return parsed(parse_duration);
}

std::vector<YamlValue> YamlValue::items(std::string_view expected) const {
  if (!is_list()) fail_type(expected);
  std::vector<YamlValue> result;
  result.reserve(node_->children.size());
  for (const YamlNode& child : node_->children) result.push_back({*document_, child, key_});
  return result;
}

YamlMapping YamlValue::mapping(std::string_view what) const {
  if (node_->kind != YamlNode::Kind::mapping) {
    fail(fmt::format("{} is {} (expected a mapping of keys to values)", what,
                     describe(node_->kind)));
  }
  return {*document_, *node_, what};
}

YamlMapping::YamlMapping(const YamlDocument& document, const YamlNode& node, std::string_view what)
    : document_(&document), node_(&node), what_(what) {}

void YamlMapping::allow_only(std::span<const std::string_view> known) const {
  for (std::size_t i = 0; i < node_->children.size(); i += 2) {
    const YamlNode& key = node_->children[i];
    if (std::find(known.begin(), known.end(), key.text) == known.end()) {
      YamlValue(*document_, key, key.text)
          .fail(fmt::format("unknown key {} {}", in_quotes(key.text), suggestion(key.text, known)));
    }
  }
}

std::optional<YamlValue> YamlMapping::find(std::string_view key) const {
  for (std::size_t i = 0; i < node_->children.size(); i += 2) {
    const YamlNode& candidate = node_->children[i];
    if (candidate.text == key) {
      return YamlValue(*document_, node_->children[i + 1], candidate.text);
    }
  }
  return std::nullopt;
}

YamlValue YamlMapping::at(std::string_view key) const {
  if (const auto value = find(key)) return *value;
  fail(fmt::format("missing key {} (expected in {})", in_quotes(key), what_));
}

void YamlMapping::fail(const std::string& message) const {
  throw InputError(document_->position(node_->offset), message);
}

}  // namespace layerpipe::base
