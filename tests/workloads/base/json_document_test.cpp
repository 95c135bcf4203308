#include "workloads/base/json_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace layerpipe::tests {
namespace {

using base::JsonDocument;
using base::JsonLimits;
using base::JsonNode;
using testing::ThrowsMessage;
using Kind = JsonNode::Kind;

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

void expect_refused(const std::string& text, const std::string& message) {
  EXPECT_THAT([&] { JsonDocument(text, "f"); }, ThrowsMessage<InputError>("f:" + message)) << text;
}

TEST(JsonDocument, KeepsWhatIsWritten) {
  const JsonDocument document(R"({"a": [1, -2.5, "x\n\u00e9", null, true], "a": {}})", "f");
  const JsonNode& root = document.root();
  ASSERT_EQ(root.kind, Kind::object);
  ASSERT_EQ(root.children.size(), 4U);
  EXPECT_EQ(root.children[0].text, "a");
  EXPECT_EQ(root.children[2].text, "a");
  EXPECT_EQ(root.children[3].kind, Kind::object);
  const JsonNode& list = root.children[1];
  ASSERT_EQ(list.kind, Kind::list);
  ASSERT_EQ(list.children.size(), 5U);
  EXPECT_EQ(list.children[0].kind, Kind::number);
  EXPECT_EQ(list.children[0].number, 1.0);
  EXPECT_EQ(list.children[1].number, -2.5);
  EXPECT_EQ(list.children[2].text, "x\n\u00e9");
  EXPECT_EQ(list.children[3].kind, Kind::null);
  EXPECT_EQ(list.children[4].kind, Kind::boolean);
}

/// Every value and key of these texts begins with the digit or letter of its place; what is
/// between them is all that JSON has there.
TEST(JsonDocument, KnowsWhereEachValueBegins) {
  const std::string text = R"([1,2 ,3
,"4\"\\",  "\u0035",{"6":7,"8"
:[9]  },[],true,{},0])";
  const JsonDocument document(text, "f");
  std::vector<std::string> places;
  const auto visit = [&](const auto& self, const JsonNode& node) -> void {
    places.push_back(text.substr(node.offset, 2));
    for (const JsonNode& child : node.children) self(self, child);
  };
  visit(visit, document.root());
  EXPECT_THAT(places, testing::ElementsAre("[1", "1,", "2 ", "3\n", "\"4", "\"\\", "{\"", "\"6",
                                           "7,", "\"8", "[9", "9]", "[]", "tr", "{}", "0]"));
}

TEST(JsonDocument, CountsLinesAndCharacters) {
  const JsonDocument document("\xEF\xBB\xBF[\r\n \"\u00E9\u00E9\", 7]", "net.json");
  EXPECT_EQ(to_string(document.position(document.root().offset)), "net.json:1:1");
  EXPECT_EQ(to_string(document.position(document.root().children[1].offset)), "net.json:2:8");
}

// The messages are nlohmann-json's; places are those of the byte that does not fit.
TEST(JsonDocument, SaysWhereTextIsNotJson) {
  expect_refused("", "1:1: not JSON: unexpected end of input (expected '[', '{', or a literal)");
  expect_refused(" \n", "2:1: not JSON: unexpected end of input (expected '[', '{', or a literal)");
  expect_refused("[1,\n2,,]", "2:3: not JSON: unexpected ',' (expected '[', '{', or a literal)");
  expect_refused("[1 2]", "1:4: not JSON: unexpected number literal (expected ']')");
  expect_refused("{\"a\" 1}", "1:6: not JSON: unexpected number literal (expected ':')");
  expect_refused("{a: 1}", "1:2: not JSON: invalid literal (expected JSON)");
  expect_refused("{1: 1}", "1:2: not JSON: unexpected number literal (expected string literal)");
  expect_refused("{} {}", "1:4: not JSON: unexpected '{' (expected end of input)");
  expect_refused("[nan]", "1:3: not JSON: invalid literal (expected JSON)");
  expect_refused("[NaN]", "1:2: not JSON: invalid literal (expected JSON)");
  expect_refused("[-Infinity]", "1:3: not JSON: invalid number (expected digit after '-')");
  expect_refused("[01]", "1:3: not JSON: unexpected number literal (expected ']')");
  expect_refused("[1, // one\n2]", "1:5: not JSON: invalid literal (expected JSON)");
  expect_refused("[\"a\nb\"]",
                 "1:4: not JSON: invalid string: control character U+000A (LF) must be escaped to "
                 "\\u000A or \\n (expected JSON)");
  expect_refused("[\"a", "1:4: not JSON: invalid string: missing closing quote (expected JSON)");
  expect_refused("{\"a\": [1, 2", "1:12: not JSON: unexpected end of input (expected ']')");
}

TEST(JsonDocument, RefusesNumbersThatNoDoubleHolds) {
  expect_refused("[1,\n 1e999]", "2:2: a number is out of range (expected one below 1.8e308)");
  expect_refused("-1e999", "1:1: a number is out of range (expected one below 1.8e308)");
}

TEST(JsonDocument, RefusesWhatIsNoText) {
  expect_refused(std::string("\xFF\xFE[\0]\0", 6), "1:1: not UTF-8 (expected a text file)");
  expect_refused(std::string("\0[\0]", 4), "1:1: control character U+0000 (expected a text file)");
  expect_refused("[\"\xC3\"]", "1:3: not UTF-8 (expected a text file)");
}

TEST(JsonDocument, RefusesWhatIsTooDeepAtThePlace) {
  const std::string deepest = repeated("[", 16) + repeated("]", 16);
  EXPECT_NO_THROW(JsonDocument(deepest, "f"));
  expect_refused("[" + deepest + "]", "1:17: nested too deeply (expected at most 16 levels)");
  expect_refused(repeated("[", 100'000), "1:17: nested too deeply (expected at most 16 levels)");
  expect_refused(repeated("{\"a\":", 100'000),
                 "1:81: nested too deeply (expected at most 16 levels)");
}

// The list itself is the last value, and one too many.
TEST(JsonDocument, RefusesTooManyValues) {
  expect_refused("[0" + repeated(",0", JsonLimits::values - 1) + "]",
                 "1:1: too many values (expected at most 1,000,000 in the file)");
  EXPECT_NO_THROW(JsonDocument("[0" + repeated(",0", JsonLimits::values - 2) + "]", "f"));
}

TEST(JsonDocument, RefusesTooManyBytes) {
  expect_refused(std::string(JsonLimits::bytes + 1, '['),
                 "1:1: too large (expected at most 25,165,824 bytes)");
}

TEST(JsonDocument, RefusesTooMuchWhiteSpace) {
  expect_refused("[\n" + std::string(JsonLimits::white_space, ' ') + "]",
                 "2:100000: too much white space (expected at most 100,000 bytes in a row)");
  EXPECT_NO_THROW(JsonDocument("[" + std::string(JsonLimits::white_space, '\n') + "]", "f"));
}

}  // namespace
}  // namespace layerpipe::tests
