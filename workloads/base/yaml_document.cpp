#include "workloads/base/yaml_document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::base {
namespace {

/// What is wrong with the text, and where.
struct YamlProblem {
  std::size_t offset = 0;
  std::string message;
};

[[noreturn]] void refuse(std::size_t offset, std::string message) {
  throw YamlProblem{offset, std::move(message)};
}

std::size_t offset_of(const YAML::Mark& mark) {
  return mark.is_null() ? 0 : static_cast<std::size_t>(mark.pos);
}

/// yaml-cpp reports an empty node where the next token begins: this is the end of the text before.
std::size_t offset_of_empty(std::string_view text, const YAML::Mark& mark) {
  const std::size_t next = offset_of(mark);
  if (next == 0) return 0;
  const std::size_t last = text.find_last_not_of(" \t\n", next - 1);
  return last == std::string_view::npos ? next : last;
}

/// Builds the tree from yaml-cpp's events and refuses what the format does not have. Throws
/// YamlProblem.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (root_) refuse(offset_of(mark), "a second document (expected one document in the file)");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add({YamlNode::Kind::empty, offset_of_empty(text_, mark), {}, {}});
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(offset_of(mark), "an alias (expected the value itself)");
  }

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    refuse(offset_of(mark),
           fmt::format("an anchor {} (expected a value without one)", in_quotes("&" + name)));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    const bool is_plain = tag == "?";
    if (!is_plain) check_untagged(mark, tag);
    if (!is_plain) last_quoted_ = offset_of(mark);
    add({is_plain ? YamlNode::Kind::plain : YamlNode::Kind::quoted, offset_of(mark), value, {}});
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, YamlNode::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, YamlNode::Kind::mapping);
  }
  void OnMapEnd() override {
    check_unique_keys(open_.back());
    close();
  }

  /// None if the text holds no document.
  [[nodiscard]] std::optional<YamlNode>& root() { return root_; }

  /// Where the last quoted text of the document begins.
  [[nodiscard]] std::optional<std::size_t> last_quoted() const { return last_quoted_; }

 private:
  void check_untagged(const YAML::Mark& mark, const std::string& tag) {
    if (tag == "?" || tag == "!") return;
    refuse(offset_of(mark), fmt::format("a tag {} (expected a value without one)", in_quotes(tag)));
  }

  void open(const YAML::Mark& mark, const std::string& tag, YamlNode::Kind kind) {
    check_untagged(mark, tag);
    if (open_.size() == YamlLimits::depth) {
      refuse(offset_of(mark),
             fmt::format("nested too deeply (expected at most {} levels)", YamlLimits::depth));
    }
    check_key(kind, offset_of(mark));
    open_.push_back({kind, offset_of(mark), {}, {}});
  }

  void close() {
    YamlNode node = std::move(open_.back());
    open_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    check_key(node.kind, node.offset);
    YamlNode& parent = open_.back();
    const std::size_t nodes_per_entry = parent.kind == YamlNode::Kind::mapping ? 2 : 1;
    if (parent.children.size() == YamlLimits::entries * nodes_per_entry) {
      refuse(node.offset, fmt::format("too many entries (expected at most {} in one list)",
                                      format_count(YamlLimits::entries)));
    }
    parent.children.push_back(std::move(node));
  }

  /// Refuses a node that is about to become the key of a mapping, but is no text. To yaml-cpp, a
  /// bracket that is not closed in the last line is one.
  void check_key(YamlNode::Kind kind, std::size_t offset) const {
    if (open_.empty() || open_.back().kind != YamlNode::Kind::mapping) return;
    const bool is_key = open_.back().children.size() % 2 == 0;
    if (is_key && kind != YamlNode::Kind::plain && kind != YamlNode::Kind::quoted) {
      const bool is_bracket =
          offset < text_.size() && (text_[offset] == '[' || text_[offset] == '{');
      refuse(offset, fmt::format("a key that is no text (expected {})",
                                 is_bracket ? "a name, or the bracket closed" : "a name"));
    }
  }

  static void check_unique_keys(const YamlNode& mapping) {
    std::map<std::string_view, std::size_t> seen;
    for (std::size_t i = 0; i < mapping.children.size(); i += 2) {
      const YamlNode& key = mapping.children[i];
      if (!seen.emplace(key.text, key.offset).second) {
        refuse(key.offset,
               fmt::format("duplicate key {} (expected each key once)", in_quotes(key.text)));
      }
    }
  }

  std::string_view text_;
  std::vector<YamlNode> open_;
  std::optional<YamlNode> root_;
  std::optional<std::size_t> last_quoted_;
};

/// yaml-cpp reads a whole flow collection before it reports the first node of it, at the cost of
/// up to 240 bytes for a mark: they are counted beforehand.
void check_limits(std::string_view text) {
  if (text.size() > YamlLimits::bytes) {
    refuse(0,
           fmt::format("too large (expected at most {} bytes)", format_count(YamlLimits::bytes)));
  }
  std::size_t marks = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_mark = text[i] == '[' || text[i] == '{' || text[i] == ',';
    if (is_mark && ++marks > YamlLimits::flow_marks) {
      refuse(i, fmt::format("too many brackets and commas (expected at most {} in a file)",
                            format_count(YamlLimits::flow_marks)));
    }
  }
}

/// yaml-cpp takes the end of the file for the end of a quoted text.
void check_quote_is_closed(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  if (quote != '"' && quote != '\'') return;
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 == text.size() || text[i + 1] != quote) return;
      ++i;
    }
  }
  refuse(begin, fmt::format("quoted text without an end (expected {})", quote));
}

/// Tabs are no indentation in YAML, and yaml-cpp's own messages do not tell.
std::string tab_hint(std::string_view text, std::size_t offset) {
  const std::size_t line = text.substr(0, offset).rfind('\n') + 1;
  const std::size_t first = std::min(text.find_first_not_of(" \t", line), text.size());
  const bool has_tab = text.substr(line, first - line).find('\t') != std::string_view::npos;
  return has_tab ? "indentation by spaces, not tabs" : "correct YAML";
}

YamlNode parse(const std::string& text) {
  check_limits(text);
  std::istringstream stream(text);
  TreeBuilder builder(text);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    const std::size_t offset = std::min(offset_of(error.mark), text.size());
    refuse(offset,
           fmt::format("not YAML: {} (expected {})", printable(error.msg), tab_hint(text, offset)));
  }
  if (builder.last_quoted()) check_quote_is_closed(text, *builder.last_quoted());
  if (!builder.root()) refuse(0, "the file is empty (expected keys and values)");
  return std::move(*builder.root());
}

}  // namespace

YamlDocument::YamlDocument(std::string_view text, std::string file) : file_(std::move(file)) {
  text_ = normalized_text(text, file_);
  try {
    root_ = parse(text_);
  } catch (const YamlProblem& problem) {
    throw InputError(position(problem.offset), problem.message);
  }
}

SourcePosition YamlDocument::position(std::size_t offset) const {
  return position_in(text_, offset, file_);
}

}  // namespace layerpipe::base
