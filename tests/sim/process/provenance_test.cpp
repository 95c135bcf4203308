#include "sim/process/provenance.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "sim/process/digest.hpp"

namespace layerpipe::process {
namespace {

// FIPS 180-2, appendix B.1 and B.2, and the digest of no bytes, as sha256sum prints it.
TEST(Sha256, IsTheStandards) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/// What a shell makes of the words after the first.
std::string printed_by_a_shell(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

TEST(ShellCommand, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_command("layerpipe", {"simulate", "three-32x32", "a b", "", "it's"}),
            R"(layerpipe simulate three-32x32 'a b' '' 'it'\''s')");
  EXPECT_EQ(printed_by_a_shell(shell_command(
                "printf", {"%s\\n", "a b", "", "it's", "$HOME", "*", "~", "a\\b", "#", "a=b;c"})),
            "a b\n\nit's\n$HOME\n*\n~\na\\b\n#\na=b;c\n");
}

TEST(Provenance, IsOneLineWhateverNamesHold) {
  const Provenance provenance{"1.2.3",
                              "3.32.0",
                              "layerpipe check 'a\nb'",
                              {{"a\nb", sha256("")}, {"bad \xff", sha256("x")}}};
  EXPECT_EQ(to_line(provenance).find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(to_line(provenance));
  EXPECT_EQ(json.at("layerpipe_version"), "1.2.3");
  EXPECT_EQ(json.at("simgrid_version"), "3.32.0");
  EXPECT_EQ(json.at("command"), "layerpipe check 'a\nb'");
  EXPECT_EQ(json.at("inputs").at(0).at("file"), "a\nb");
  EXPECT_EQ(json.at("inputs").at(1).at("file"), "bad \xef\xbf\xbd");
}

}  // namespace
}  // namespace layerpipe::process
