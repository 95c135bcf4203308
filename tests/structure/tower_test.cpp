#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace layerpipe {
namespace {

namespace fs = std::filesystem;

/// From the ground up: each floor may include itself and those before it.
constexpr std::array floors{"workloads", "platforms", "scheduler", "sim"};

struct Include {
  std::string file;    ///< relative to the root
  std::string header;  ///< as written
};

std::vector<Include> includes_below(const std::string& folder) {
  const fs::path root(LAYERPIPE_SOURCE_DIR);
  const std::regex directive(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
  std::vector<Include> result;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (std::regex_search(line, match, directive)) {
        result.push_back({fs::relative(entry.path(), root).string(), match[1]});
      }
    }
  }
  return result;
}

TEST(Tower, EachFloorUsesOnlyThoseBelowIt) {
  for (std::size_t floor = 0; floor < floors.size(); ++floor) {
    const std::vector<Include> includes = includes_below(floors[floor]);
    ASSERT_FALSE(includes.empty());
    for (const Include& include : includes) {
      for (std::size_t above = floor + 1; above < floors.size(); ++above) {
        EXPECT_FALSE(include.header.starts_with(fmt::format("{}/", floors[above])))
            << include.file << " includes " << include.header;
      }
    }
  }
}

TEST(Tower, OnlyTheEngineKnowsSimGrid) {
  std::size_t users = 0;
  for (const char* floor : floors) {
    for (const Include& include : includes_below(floor)) {
      if (!include.header.starts_with("simgrid/") && !include.header.starts_with("xbt/")) continue;
      ++users;
      EXPECT_TRUE(include.file.starts_with("sim/engine/") && include.file.ends_with(".cpp"))
          << include.file << " includes " << include.header;
    }
  }
  EXPECT_GT(users, 0U);
}

// What is deprecated in one version of SimGrid, or missing in another, is named in one place.
TEST(Tower, OneFileKnowsTheVersionsOfSimGrid) {
  const fs::path root(LAYERPIPE_SOURCE_DIR);
  constexpr std::array words{"SIMGRID_VERSION", "Actor::create", "Engine::add_actor",
                             "/precision\""};
  std::vector<std::string> users;
  for (const char* folder : {"workloads", "platforms", "scheduler", "sim", "bench"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      const auto is_there = [&](const char* word) { return text.find(word) != std::string::npos; };
      if (std::ranges::any_of(words, is_there)) {
        users.push_back(fs::relative(entry.path(), root).string());
      }
    }
  }
  EXPECT_EQ(users, std::vector<std::string>{"sim/engine/simgrid_versions.cpp"});
}

/// To the linker two types of one name are one: it takes the destructor of either for both. Of
/// headers, in which nothing is in an unnamed namespace.
TEST(Tower, NoTwoTypesHaveOneName) {
  const fs::path root(LAYERPIPE_SOURCE_DIR);
  const std::regex space(R"re(^namespace ([\w:]+) \{)re");
  const std::regex definition(R"re(^(?:class|struct|enum class|enum) (\w+)\b(?!::)[^;]*\{)re");
  std::map<std::string, std::string> headers;  // by the whole name of a type
  for (const char* floor : floors) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / floor)) {
      if (entry.path().extension() != ".hpp") continue;
      std::ifstream file(entry.path());
      std::string scope;
      for (std::string line; std::getline(file, line);) {
        std::smatch match;
        if (std::regex_search(line, match, space)) scope = match[1];
        if (!std::regex_search(line, match, definition)) continue;
        const std::string header = fs::relative(entry.path(), root).string();
        const auto [first, is_new] =
            headers.emplace(fmt::format("{}::{}", scope, match[1].str()), header);
        EXPECT_TRUE(is_new) << first->first << " in " << first->second << " and " << header;
      }
    }
  }
  EXPECT_GT(headers.size(), 100U);
}

}  // namespace
}  // namespace layerpipe
