#include "workloads/base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "workloads/base/error.hpp"

namespace layerpipe::base {
namespace {

using testing::ThrowsMessage;

std::string temporary_file(const std::string& content) {
  const std::string path = testing::TempDir() + "layerpipe_text_test";
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(ReadFile, GivesTheBytes) {
  const std::string content("a\r\n\0b", 5);
  const std::string path = temporary_file(content);
  EXPECT_EQ(read_file(path, 10), content);
  std::filesystem::remove(path);
}

TEST(ReadFile, RefusesWhatIsTooLarge) {
  const std::string path = temporary_file("12345");
  EXPECT_EQ(read_file(path, 5), "12345");
  EXPECT_THAT([&] { (void)read_file(path, 4); },
              ThrowsMessage<InputError>(path + ": too large (expected at most 4 bytes)"));
  std::filesystem::remove(path);
}

// A pipe that nobody writes to would be waited for without end.
TEST(ReadFile, RefusesWhatIsNoRegularFile) {
  EXPECT_THAT([] { (void)read_file("/dev/zero", 1000); },
              ThrowsMessage<InputError>("/dev/zero: is not a regular file (expected one)"));
}

TEST(ReadFile, RefusesANamedPipeAndReadsOneThatIsOpen) {
  const std::string path = testing::TempDir() + "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT([&] { (void)read_file(path, 10); },
              ThrowsMessage<InputError>(path + ": is not a regular file (expected one)"));
  std::filesystem::remove(path);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "text", 4), 4);
  ::close(ends[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0]), 10), "text");
  ::close(ends[0]);
}

TEST(ReadFile, SaysWhyAFileCannotBeRead) {
  EXPECT_THAT([] { (void)read_file("/no/such/file", 10); },
              ThrowsMessage<InputError>("/no/such/file: cannot be read: No such file or directory "
                                        "(expected a readable file)"));
  EXPECT_THAT([] { (void)read_file("/tmp", 10); },
              ThrowsMessage<InputError>("/tmp: is a directory (expected a file)"));
}

TEST(NormalizedText, DropsByteOrderMarkAndCarriageReturns) {
  EXPECT_EQ(normalized_text("\xEF\xBB\xBF"
                            "a\r\n\tb\n",
                            "f"),
            "a\n\tb\n");
  EXPECT_EQ(normalized_text("", "f"), "");
}

TEST(NormalizedText, KeepsUtf8) {
  // The first and last code points of each length that are not control characters (RFC 3629).
  const std::string text = " ~\u00A0\u07FF\u0800\uD7FF\uE000\uFFFD\U00010000\U0010FFFF";
  EXPECT_EQ(normalized_text(text, "f"), text);
}

TEST(NormalizedText, RefusesWhatIsNotUtf8) {
  const auto expect_refused = [](const std::string& text, const std::string& where) {
    EXPECT_THAT([&] { (void)normalized_text(text, "f"); },
                ThrowsMessage<InputError>(where + ": not UTF-8 (expected a text file)"));
  };
  expect_refused("caf\xE9\n", "f:1:4");         // Latin-1
  expect_refused("a\n\u00E9\x80", "f:2:2");     // a continuation byte alone
  expect_refused("\xC0\xAF", "f:1:1");          // overlong, two bytes
  expect_refused("\xE0\x80\xAF", "f:1:1");      // overlong, three bytes
  expect_refused("\xF0\x8F\xBF\xBF", "f:1:1");  // overlong, four bytes
  expect_refused("\xED\xA0\x80", "f:1:1");      // a surrogate
  expect_refused("\xF4\x90\x80\x80", "f:1:1");  // above U+10FFFF
  expect_refused("ab\xE2\x82", "f:1:3");        // cut
  expect_refused(
      "\xFF\xFE"
      "a",
      "f:1:1");  // UTF-16
}

TEST(NormalizedText, RefusesControlCharacters) {
  using namespace std::string_literals;
  EXPECT_THAT([] { (void)normalized_text("a\nb\0"s, "f"); },
              ThrowsMessage<InputError>("f:2:2: control character U+0000 (expected a text file)"));
  EXPECT_THAT([] { (void)normalized_text("a\rb", "f"); },
              ThrowsMessage<InputError>("f:1:2: control character U+000D (expected a text file)"));
  EXPECT_THROW((void)normalized_text("\x04", "f"), InputError);
  EXPECT_THROW((void)normalized_text("\u0085", "f"), InputError);
}

TEST(PositionIn, CountsLinesAndCharacters) {
  const std::string text = "ab\n\u00E9\u00E9c\n";
  const auto place = [&](std::size_t offset) { return to_string(position_in(text, offset, "f")); };
  EXPECT_EQ(place(0), "f:1:1");
  EXPECT_EQ(place(text.find('\n')), "f:1:3");
  EXPECT_EQ(place(text.find('c')), "f:2:3");
  EXPECT_EQ(place(text.size()), "f:3:1");
}

TEST(IsPrintableLine, IsFalseForAnythingThatBreaksALine) {
  EXPECT_TRUE(is_printable_line("conv \u00E9 \U0001F600"));
  EXPECT_FALSE(is_printable_line("a\nb"));
  EXPECT_FALSE(is_printable_line("a\tb"));
  EXPECT_FALSE(is_printable_line("\x7F"));
  EXPECT_FALSE(is_printable_line("\u2028"));
  EXPECT_FALSE(is_printable_line("\xFF"));
}

TEST(Printable, ReplacesWhatIsNot) {
  EXPECT_EQ(printable("conv \u00E9"), "conv \u00E9");
  EXPECT_EQ(printable("a\nb\xFF\u2028"
                      "c"),
            "a?b??c");
}

TEST(InQuotes, IsOneShortLine) {
  EXPECT_EQ(in_quotes("conv2d"), "'conv2d'");
  EXPECT_EQ(in_quotes("a\nb\xFF"), "'a?b?'");
  EXPECT_EQ(in_quotes(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
  EXPECT_EQ(in_quotes(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace layerpipe::base
