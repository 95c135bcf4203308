#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/golden/console_page.hpp"

namespace layerpipe::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// The period that README shows.
constexpr const char* period_of_sample4 = "\nlayerpipe,32007170,";

TEST(Installation, TakesNamesInAnyFolder) {
  const Console console;
  EXPECT_THAT(console.run("cd / && layerpipe compare three-32x32 sample4 --format csv"),
              HasSubstr(period_of_sample4));
  EXPECT_THAT(console.run("cd / && layerpipe check vgg16 eight-128x128; echo exit code $?"),
              HasSubstr("exit code 0"));
  EXPECT_THAT(console.run("layerpipe list"), HasSubstr("\nplatform  sixteen-256x256-chain "));
}

TEST(Installation, CanBeMoved) {
  const Console console;
  EXPECT_EQ(
      console.run("mkdir moved && cp -r " LAYERPIPE_PREFIX "/bin " LAYERPIPE_PREFIX "/share moved"),
      "");
  EXPECT_THAT(console.run("moved/bin/layerpipe compare three-32x32 sample4 --format csv"),
              HasSubstr(period_of_sample4));
  EXPECT_EQ(console.run("ln -s moved/bin/layerpipe link && rm -r moved/share/layerpipe/workloads"),
            "");
  EXPECT_THAT(console.run("./link profile three-32x32 sample4"),
              HasSubstr("/moved/share/layerpipe/workloads: cannot be read"));
}

TEST(Installation, HasAllThatIsShipped) {
  for (const char* folder : {"platforms", "workloads"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(LAYERPIPE_SOURCE_DIR) / folder)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".xml" && extension != ".yaml") continue;
      const fs::path installed = fs::path(LAYERPIPE_PREFIX "/share/layerpipe") / folder;
      EXPECT_TRUE(fs::exists(installed / entry.path().filename())) << entry.path();
    }
  }
}

TEST(Installation, IsCitedByItsVersion) {
  std::ifstream file(LAYERPIPE_PREFIX "/share/doc/layerpipe/CITATION.cff");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  EXPECT_THAT(lines, testing::Contains("version: " LAYERPIPE_VERSION));
}

TEST(Installation, HasTheHeadersThatItsHeadersInclude) {
  const fs::path root = LAYERPIPE_PREFIX "/include/layerpipe";
  const std::regex directive(R"re(^#include "([^"]+)")re");
  std::size_t includes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, directive)) continue;
      ++includes;
      EXPECT_TRUE(fs::exists(root / match[1].str())) << entry.path() << ": " << line;
    }
  }
  EXPECT_GT(includes, 0U);
}

}  // namespace
}  // namespace layerpipe::tests
