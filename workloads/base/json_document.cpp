#include "workloads/base/json_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::base {
namespace {

using Json = nlohmann::json;
using base::format_count;

/// What is wrong with the text, and where.
struct JsonProblem {
  std::size_t offset = 0;
  std::string message;
};

[[noreturn]] void refuse(std::size_t offset, std::string message) {
  throw JsonProblem{offset, std::move(message)};
}

/// nlohmann-json's message without its number, position and the token that it ends with, e.g.
/// "unexpected ']' (expected end of input)".
std::string reason(const std::string& message) {
  const std::size_t begin = message.find(" - ");
  if (begin == std::string::npos) return "unreadable (expected JSON)";
  const std::string what = message.substr(begin + 3, message.find("; last read") - begin - 3);
  constexpr std::string_view mark = "; expected ";
  const std::size_t expected = what.find(mark);
  if (expected == std::string::npos) return what + " (expected JSON)";
  return fmt::format("{} (expected {})", what.substr(0, expected),
                     what.substr(expected + mark.size()));
}

/// Builds the tree from the events of nlohmann-json's parser, which does not tell where a value
/// stands. But it reports each value before it reads on, at most one byte after a number apart, so
/// what it has read of the stream by then is where the next token is looked for. Throws
/// JsonProblem.
class TreeBuilder final : public nlohmann::json_sax<Json> {
 public:
  TreeBuilder(std::string_view text, std::istream& stream) : text_(text), stream_(stream) {}

  bool null() override { return add({JsonNode::Kind::null, next_token(), 0.0, {}, {}}); }

  bool boolean(bool /*value*/) override {
    return add({JsonNode::Kind::boolean, next_token(), 0.0, {}, {}});
  }

  bool number_integer(std::int64_t value) override {
    return add_number(static_cast<double>(value));
  }

  bool number_unsigned(std::uint64_t value) override {
    return add_number(static_cast<double>(value));
  }

  bool number_float(double value, const std::string& /*token*/) override {
    return add_number(value);
  }

  bool string(std::string& value) override {
    return add({JsonNode::Kind::text, next_token(), 0.0, std::move(value), {}});
  }

  bool binary(Json::binary_t& /*value*/) override {
    throw InternalError("binary data in JSON text");
  }

  bool start_object(std::size_t /*members*/) override { return open(JsonNode::Kind::object); }
  bool key(std::string& value) override { return string(value); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*items*/) override { return open(JsonNode::Kind::list); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t bytes_read, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    constexpr int number_overflow = 406;
    if (error.id == number_overflow) {
      refuse(next_token(), "a number is out of range (expected one below 1.8e308)");
    }
    refuse(std::min(bytes_read - 1, text_.size()), "not JSON: " + reason(error.what()));
  }

  [[nodiscard]] JsonNode& root() { return root_; }

 private:
  /// Where the token begins that was just reported; each is asked for once.
  std::size_t next_token() {
    const std::size_t begin = std::min(text_.find_first_not_of(" \t\n,:", read_), text_.size());
    skip_token();
    return begin;
  }

  void skip_token() {
    read_ = static_cast<std::size_t>(
        stream_.rdbuf()->pubseekoff(0, std::ios_base::cur, std::ios_base::in));
  }

  bool add_number(double value) {
    return add({JsonNode::Kind::number, next_token(), value, {}, {}});
  }

  bool open(JsonNode::Kind kind) {
    JsonNode node{kind, next_token(), 0.0, {}, {}};
    if (open_.size() == JsonLimits::depth) {
      refuse(node.offset,
             fmt::format("nested too deeply (expected at most {} levels)", JsonLimits::depth));
    }
    open_.push_back(std::move(node));
    return true;
  }

  bool close() {
    skip_token();
    JsonNode node = std::move(open_.back());
    open_.pop_back();
    return add(std::move(node));
  }

  bool add(JsonNode node) {
    if (++values_ > JsonLimits::values) {
      refuse(node.offset, fmt::format("too many values (expected at most {} in the file)",
                                      format_count(JsonLimits::values)));
    }
    if (open_.empty()) {
      root_ = std::move(node);
    } else {
      open_.back().children.push_back(std::move(node));
    }
    return true;
  }

  std::string_view text_;
  std::istream& stream_;
  std::size_t read_ = 0;  ///< bytes of the tokens so far
  std::size_t values_ = 0;
  std::vector<JsonNode> open_;
  JsonNode root_;
};

/// nlohmann-json's errors come with all white space before the token, eight bytes for each line
/// feed.
void check_white_space(std::string_view text) {
  std::size_t run = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_white = text[i] == ' ' || text[i] == '\t' || text[i] == '\n';
    run = is_white ? run + 1 : 0;
    if (run > JsonLimits::white_space) {
      refuse(i, fmt::format("too much white space (expected at most {} bytes in a row)",
                            format_count(JsonLimits::white_space)));
    }
  }
}

JsonNode parse(const std::string& text) {
  check_white_space(text);
  // Versions of nlohmann-json say different things of this.
  if (text.empty()) {
    refuse(0, "not JSON: unexpected end of input (expected '[', '{', or a literal)");
  }
  std::istringstream stream(text);
  TreeBuilder builder(text, stream);
  Json::sax_parse(stream, &builder);
  return std::move(builder.root());
}

}  // namespace

JsonDocument::JsonDocument(std::string_view text, std::string file) : file_(std::move(file)) {
  if (text.size() > JsonLimits::bytes) {
    throw InputError({file_, 1, 1}, fmt::format("too large (expected at most {} bytes)",
                                                format_count(JsonLimits::bytes)));
  }
  text_ = base::normalized_text(text, file_);
  try {
    root_ = parse(text_);
  } catch (const JsonProblem& problem) {
    throw InputError(position(problem.offset), problem.message);
  }
}

SourcePosition JsonDocument::position(std::size_t offset) const {
  return base::position_in(text_, offset, file_);
}

}  // namespace layerpipe::base
