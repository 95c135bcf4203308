#include "workloads/base/yaml_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace layerpipe::base {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Kind = YamlNode::Kind;

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

void expect_refused(const std::string& text, const std::string& message) {
  EXPECT_THAT([&] { YamlDocument(text, "f"); }, ThrowsMessage<InputError>(message));
}

TEST(YamlDocument, KeepsWhatIsWritten) {
  const YamlDocument document("a: 010\nb: [\"x\", ~, {}]\n", "f");
  const YamlNode& root = document.root();
  ASSERT_EQ(root.kind, Kind::mapping);
  ASSERT_EQ(root.children.size(), 4U);
  EXPECT_EQ(root.children[0].text, "a");
  EXPECT_EQ(root.children[1].kind, Kind::plain);
  EXPECT_EQ(root.children[1].text, "010");
  const YamlNode& list = root.children[3];
  ASSERT_EQ(list.kind, Kind::sequence);
  ASSERT_EQ(list.children.size(), 3U);
  EXPECT_EQ(list.children[0].kind, Kind::quoted);
  EXPECT_EQ(list.children[1].kind, Kind::empty);
  EXPECT_EQ(list.children[2].kind, Kind::mapping);
}

TEST(YamlDocument, KnowsLineAndColumnInCharacters) {
  const YamlDocument document("\xEF\xBB\xBF# caf\u00E9\r\n\u00E9\u00E9: {b: c}\r\n", "net.yaml");
  const YamlNode& mapping = document.root().children[1];
  EXPECT_EQ(to_string(document.position(mapping.offset)), "net.yaml:2:5");
  EXPECT_EQ(to_string(document.position(mapping.children[1].offset)), "net.yaml:2:9");
}

TEST(YamlDocument, PlacesAnEmptyValueBehindItsKey) {
  const YamlDocument document("a:\n\n\nb: 1\n", "f");
  EXPECT_EQ(to_string(document.position(document.root().children[1].offset)), "f:1:2");
}

TEST(YamlDocument, RefusesMoreOrLessThanOneDocument) {
  expect_refused("", "f:1:1: the file is empty (expected keys and values)");
  expect_refused("# nothing\n", "f:1:1: the file is empty (expected keys and values)");
  expect_refused("a: 1\n---\nb: 2\n",
                 "f:2:1: a second document (expected one document in the file)");
}

TEST(YamlDocument, RefusesDuplicateKeys) {
  expect_refused("a: 1\nb: 2\na: 3\n", "f:3:1: duplicate key 'a' (expected each key once)");
  expect_refused("l:\n  - {x: 1, 'x': 2}\n", "f:2:12: duplicate key 'x' (expected each key once)");
}

TEST(YamlDocument, RefusesAnchorsAliasesAndTags) {
  expect_refused("a: &x 1\n", "f:1:4: an anchor '&x' (expected a value without one)");
  // "Billion laughs": refused at the first anchor.
  expect_refused("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
                 "f:1:4: an anchor '&a' (expected a value without one)");
  EXPECT_THROW(YamlDocument("a: *x\n", "f"), InputError);
  expect_refused("a: !!str 5\n",
                 "f:1:4: a tag 'tag:yaml.org,2002:str' (expected a value without one)");
}

TEST(YamlDocument, RefusesKeysThatAreNoText) {
  expect_refused("? [a]\n: 1\n",
                 "f:1:3: a key that is no text (expected a name, or the bracket closed)");
  expect_refused("? - a\n: 1\n", "f:1:3: a key that is no text (expected a name)");
  EXPECT_THAT([] { YamlDocument("{: 1}\n", "f"); },
              ThrowsMessage<InputError>(HasSubstr("a key that is no text")));
}

TEST(YamlDocument, RefusesWhatIsNotYaml) {
  expect_refused("a: {b: 1\n",
                 "f:2:1: not YAML: end of map flow not found (expected correct YAML)");
  expect_refused("a:\n\t- b\n",
                 "f:2:2: not YAML: illegal block entry (expected indentation by spaces, not tabs)");
  expect_refused("a: 1\n]\n", "f:2:1: not YAML: illegal flow end (expected correct YAML)");
  expect_refused("a: [1, 2",
                 "f:1:9: not YAML: end of sequence flow not found (expected correct YAML)");
}

// The bracket may be closed in a later line, and the text before it be a key, as far as yaml-cpp
// has read.
TEST(YamlDocument, AsksForBracketsToBeClosed) {
  const std::string message = "a key that is no text (expected a name, or the bracket closed)";
  expect_refused("[1, 2", "f:1:1: " + message);
  expect_refused("layers: [{a: 1}, {b: 2", "f:1:18: " + message);
  expect_refused(repeated("[", 100'000), "f:1:1: " + message);
}

TEST(YamlDocument, NeverPutsHalfACharacterIntoAMessage) {
  expect_refused("a: \"\\\u00E9\"\n",
                 "f:1:7: not YAML: unknown escape character: ? (expected correct YAML)");
}

TEST(YamlDocument, RefusesQuotesThatAreNotClosed) {
  expect_refused("a: \"b\n", "f:1:4: quoted text without an end (expected \")");
  expect_refused("a: 'it''s\n", "f:1:4: quoted text without an end (expected ')");
  expect_refused("a: \"b\\\"\n", "f:1:4: quoted text without an end (expected \")");
  EXPECT_NO_THROW(YamlDocument("a: \"b\\\\\"\n", "f"));
  EXPECT_NO_THROW(YamlDocument("a: 'it''s'", "f"));
  EXPECT_NO_THROW(YamlDocument("a: |\n  it's \"\n", "f"));
}

TEST(YamlDocument, RefusesDeepNesting) {
  const std::string message = "nested too deeply (expected at most 16 levels)";
  const auto nested = [](std::size_t depth) {
    return repeated("[", depth) + repeated("]", depth) + "\n";
  };
  EXPECT_NO_THROW(YamlDocument(nested(16), "f"));
  expect_refused(nested(17), "f:1:17: " + message);
  expect_refused(nested(100'000), "f:1:17: " + message);
  expect_refused(repeated("- ", 100'000), "f:1:33: " + message);
}

TEST(YamlDocument, RefusesTooManyEntries) {
  EXPECT_NO_THROW(YamlDocument(repeated("- a\n", 10'000), "f"));
  expect_refused(repeated("- a\n", 10'001),
                 "f:10001:3: too many entries (expected at most 10,000 in one list)");
}

TEST(YamlDocument, RefusesTooManyMarks) {
  expect_refused(repeated("- [,\n", 125'001),
                 "f:125001:3: too many brackets and commas (expected at most 250,000 in a file)");
}

TEST(YamlDocument, RefusesTooMuchText) {
  const std::string text = "a: 1\n#" + std::string(YamlLimits::bytes - 6, ' ');
  EXPECT_NO_THROW(YamlDocument(text, "f"));
  expect_refused(text + " ", "f:1:1: too large (expected at most 2,097,152 bytes)");
}

}  // namespace
}  // namespace layerpipe::base
