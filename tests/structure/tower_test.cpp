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
#include <string_view>
#include <vector>

namespace layerpipe {
namespace {

namespace fs = std::filesystem;

constexpr std::array floors{"workloads", "platforms", "scheduler", "sim"};

/// From the ground up: each may include itself and those before it.
constexpr std::array rooms{
    "workloads/base",   "workloads/network",   "workloads/read",
    "platforms/array",  "platforms/machine",   "platforms/file",
    "scheduler/costs",  "scheduler/placement", "scheduler/contract",
    "scheduler/memory", "scheduler/theory",    "scheduler/discipline",
    "scheduler",        "sim/process",         "sim/options",
    "sim/events",       "sim/engine",          "sim/metrics",
    "sim/figures",      "sim/trace",           "sim/run",
    "sim/report",       "sim/sweep",           "sim/cli",
};

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

/// The longest of the rooms that the file or header lies in; a room's subfolders are part of it.
std::size_t room_of(const std::string& path) {
  std::size_t found = rooms.size();
  for (std::size_t room = 0; room < rooms.size(); ++room) {
    if (!path.starts_with(fmt::format("{}/", rooms.at(room)))) continue;
    const bool is_longer = found == rooms.size() || std::string_view(rooms.at(found)).size() <
                                                        std::string_view(rooms.at(room)).size();
    if (is_longer) found = room;
  }
  return found;
}

TEST(Tower, EachRoomUsesOnlyThoseBelowIt) {
  std::size_t seen = 0;
  for (const char* floor : floors) {
    for (const Include& include : includes_below(floor)) {
      const std::size_t from = room_of(include.file);
      ASSERT_LT(from, rooms.size()) << include.file << " is in no room";
      const std::size_t to = room_of(include.header);
      if (to == rooms.size()) continue;
      ++seen;
      EXPECT_LE(to, from) << include.file << " includes " << include.header;
    }
  }
  EXPECT_GT(seen, 500U);
}

TEST(Tower, EachRoomSaysWhatBelongsIntoIt) {
  const fs::path root(LAYERPIPE_SOURCE_DIR);
  for (const char* room : rooms) EXPECT_TRUE(fs::exists(root / room / "README.md")) << room;
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
