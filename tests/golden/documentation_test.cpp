#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "tests/golden/console_page.hpp"

namespace layerpipe::tests {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string page(const std::string& name) { return read(fs::path(LAYERPIPE_SOURCE_DIR) / name); }

TEST(ConsoleCommands, AreThoseOfConsoleBlocks) {
  const auto commands = console_commands(
      "$ no block\n"
      "```sh\n$ another kind\n```\n"
      "```console\n$ first \\\n> second\none\ntwo\n$ third\n```\n"
      "after\n");
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0].command, "first \\\nsecond");
  EXPECT_EQ(commands[0].output, "one\ntwo\n");
  EXPECT_EQ(commands[0].line, 6);
  EXPECT_EQ(commands[1].command, "third");
  EXPECT_EQ(commands[1].output, "");
}

/// Every command of a page does what the page shows. The commands of a page are executed in order
/// in one folder, so that they can use what earlier ones wrote.
class Documentation : public testing::TestWithParam<const char*> {};

TEST_P(Documentation, ShowsWhatTheProgramDoes) {
  const auto commands = console_commands(page(GetParam()));
  ASSERT_FALSE(commands.empty());
  const Console console;
  for (const ConsoleCommand& command : commands) {
    EXPECT_EQ(console.run(command.command), command.output)
        << GetParam() << ":" << command.line << ": $ " << command.command;
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, Documentation,
                         testing::Values("README.md", "docs/quickstart.md", "docs/schedules.md",
                                         "docs/splits.md", "docs/formats/sweep.md",
                                         "docs/formats/pytorch_schedule.md", "docs/theory.md",
                                         "docs/traces.md", "docs/validation.md"));

/// README shows the output of `make run`, which ends with its first command.
TEST(Readme, ShowsWhatMakeRunDoes) {
  const auto words = [](const std::string& text) {
    return std::regex_replace(text, std::regex(R"([\s\\]+)"), " ");
  };
  const std::string makefile =
      std::regex_replace(page("Makefile"), std::regex(R"(\$\(layerpipe\))"), "layerpipe");
  const auto commands = console_commands(page("README.md"));
  ASSERT_FALSE(commands.empty());
  EXPECT_THAT(words(makefile), testing::HasSubstr(words(commands.front().command)));
}

/// Without the version of SimGrid, which may be another one than where the picture was drawn.
std::string drawing(const std::string& svg) {
  return std::regex_replace(svg, std::regex("simgrid_version[^,]*,"), "");
}

/// The picture in README is what the command of CONTRIBUTING writes.
TEST(Pictures, AreWhatTheProgramDraws) {
  const std::regex command("`(layerpipe compare [^`]* --trace docs/pictures/fig6.svg [^`]*)`");
  const std::string contributing = page("CONTRIBUTING.md");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(contributing, match, command));
  const Console console;
  EXPECT_THAT(console.run("mkdir -p docs/pictures\n" + match[1].str()),
              testing::HasSubstr("\nlayerpipe "));
  EXPECT_TRUE(drawing(console.run("cat docs/pictures/fig6.svg")) ==
              drawing(page("docs/pictures/fig6.svg")))
      << "to be written again: " << match[1];
}

/// The picture of all schedules is what the commands of its page write.
TEST(Pictures, OfSchedulesIsWhatItsPageDraws) {
  const Console console;
  std::string printed;
  for (const ConsoleCommand& command : console_commands(page("docs/schedules.md"))) {
    printed += console.run(command.command);
  }
  EXPECT_THAT(printed, testing::HasSubstr("\nuniform, "));
  const std::string drawn = drawing(console.run("cat docs/pictures/schedules.svg"));
  EXPECT_THAT(drawn, testing::HasSubstr("</svg>"));
  EXPECT_TRUE(drawn == drawing(page("docs/pictures/schedules.svg")))
      << "to be written again: make pages";
}

/// Links of pages to files of this repository lead somewhere.
TEST(Links, LeadToFiles) {
  const fs::path root = LAYERPIPE_SOURCE_DIR;
  std::vector<fs::path> pages{root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  const std::regex link(R"(\]\(([^)#\s]+)(#[^)]*)?\))");
  for (const fs::path& file : pages) {
    const std::string text = read(file);
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
      const std::string target = (*match)[1];
      if (target.starts_with("http")) continue;
      EXPECT_TRUE(fs::exists(file.parent_path() / target)) << file << ": " << target;
    }
  }
}

}  // namespace
}  // namespace layerpipe::tests
