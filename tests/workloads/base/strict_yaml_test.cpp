#include "workloads/base/strict_yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace layerpipe::base {
namespace {

using testing::ThrowsMessage;

/// Reads the value of `k` in `text`, and expects `message`.
template <typename Read>
void expect_refused(const std::string& text, Read read, const std::string& message) {
  const YamlDocument document(text, "f");
  const YamlValue value = YamlValue(document).mapping("the file").at("k");
  EXPECT_THAT([&] { (void)read(value); }, ThrowsMessage<InputError>(message)) << text;
}

template <typename Read>
auto read_from(const std::string& text, Read read) {
  const YamlDocument document(text, "f");
  return read(YamlValue(document).mapping("the file").at("k"));
}

const auto number = [](const YamlValue& value) { return value.whole_number({1, 1'000}); };
const auto boolean = [](const YamlValue& value) { return value.boolean(); };
const auto text = [](const YamlValue& value) { return value.text(8); };
const auto bytes = [](const YamlValue& value) { return value.bytes(); };
const auto duration = [](const YamlValue& value) { return value.duration(); };

TEST(YamlValue, ReadsWholeNumbers) {
  EXPECT_EQ(read_from("k: 32", number), 32);
  expect_refused("k: 0", number, "f:1:4: k: '0' is out of range (expected 1 to 1,000)");
  expect_refused("k: 010", number, "f:1:4: k: '010' has a leading zero (expected 1 to 1,000)");
  expect_refused("k: 1e3", number, "f:1:4: k: '1e3' is not a whole number (expected 1 to 1,000)");
  expect_refused("k: -1", number, "f:1:4: k: '-1' is negative (expected 1 to 1,000)");
  expect_refused("k: '5'", number, "f:1:4: k is quoted text (expected a whole number)");
  expect_refused("k: [5]", number, "f:1:4: k is a list (expected a whole number)");
  expect_refused("k: {a: 5}", number, "f:1:4: k is a mapping (expected a whole number)");
  expect_refused("k:", number, "f:1:2: k is empty (expected a whole number)");
}

TEST(YamlValue, ReadsBooleans) {
  EXPECT_TRUE(read_from("k: true", boolean));
  EXPECT_FALSE(read_from("k: false", boolean));
  expect_refused("k: yes", boolean, "f:1:4: k: 'yes' is not a boolean (expected true or false)");
  expect_refused("k: True", boolean, "f:1:4: k: 'True' is not a boolean (expected true or false)");
  expect_refused("k: 'true'", boolean, "f:1:4: k is quoted text (expected true or false)");
}

TEST(YamlValue, ReadsText) {
  EXPECT_EQ(read_from("k: conv", text), "conv");
  EXPECT_EQ(read_from("k: '1'", text), "1");
  EXPECT_EQ(read_from("k: \u00E9\U0001F600", text), "\u00E9\U0001F600");
  EXPECT_EQ(read_from("k: 1x1", text), "1x1");
  expect_refused("k: 1", text, "f:1:4: k: '1' is no text (expected text; put it in quotes)");
  expect_refused("k: 1e999", text,
                 "f:1:4: k: '1e999' is no text (expected text; put it in quotes)");
  expect_refused("k: true", text, "f:1:4: k: 'true' is no text (expected text; put it in quotes)");
  expect_refused("k: [a]", text, "f:1:4: k is a list (expected text)");
  const std::string expected = " cannot be used (expected 1 to 8 bytes of printable text)";
  expect_refused("k: ''", text, "f:1:4: k: ''" + expected);
  expect_refused("k: abcdefghi", text, "f:1:4: k: 'abcdefghi'" + expected);
  expect_refused("k: \"a\\nb\"", text, "f:1:4: k: 'a?b'" + expected);
}

TEST(YamlValue, ReadsQuantities) {
  EXPECT_EQ(read_from("k: 4 MB", bytes), 4'000'000);
  EXPECT_EQ(read_from("k: '4 MB'", bytes), 4'000'000);
  EXPECT_EQ(read_from("k: 7 cycles", duration), (Duration{7, 0.0}));
  expect_refused("k: 10", duration,
                 "f:1:4: k: '10' has no unit (expected a duration such as 10 ms; units: ns, us, "
                 "ms, s or cycles)");
  expect_refused("k: [1 MB]", bytes, "f:1:4: k is a list (expected a size such as 4 MB)");
}

TEST(YamlValue, NamesTheListThatAnItemIsIn) {
  const YamlDocument document("k: [1, x]", "f");
  const auto items = YamlValue(document).mapping("the file").at("k").items("a list");
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].whole_number({0, 9}), 1);
  EXPECT_THAT(
      [&] {
        (void)items[1].whole_number({0, 9});
      },
      ThrowsMessage<InputError>("f:1:8: k: 'x' is not a whole number (expected 0 to 9)"));
  expect_refused(
      "k: 1", [](const YamlValue& value) { return value.items("a list"); },
      "f:1:4: k is unquoted text (expected a list)");
}

TEST(YamlMapping, KnowsItsKeys) {
  const YamlDocument document("layers: []\nkernal_size: 3\n", "f");
  const YamlMapping mapping = YamlValue(document).mapping("the file");
  EXPECT_TRUE(mapping.has("layers"));
  EXPECT_FALSE(mapping.has("batch"));
  constexpr std::array<std::string_view, 2> known{"layers", "kernel_size"};
  EXPECT_THAT([&] { mapping.allow_only(known); },
              ThrowsMessage<InputError>("f:2:1: unknown key 'kernal_size' (nearest: kernel_size)"));
  EXPECT_THAT([&] { (void)mapping.at("batch"); },
              ThrowsMessage<InputError>("f:1:1: missing key 'batch' (expected in the file)"));
}

TEST(YamlMapping, IsNothingElse) {
  const YamlDocument document("hello", "f");
  EXPECT_THAT([&] { (void)YamlValue(document).mapping("the file"); },
              ThrowsMessage<InputError>(
                  "f:1:1: the file is unquoted text (expected a mapping of keys to values)"));
}

}  // namespace
}  // namespace layerpipe::base
