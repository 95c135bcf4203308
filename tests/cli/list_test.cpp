#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json shipped(const char* kind, const std::string& name) {
  const json list = json::parse(run_program({"list", "--format", "json"}).out);
  for (const json& entry : list.at(kind)) {
    if (entry.at("name") == name) return entry;
  }
  return nullptr;
}

TEST(List, NamesSchedulesWorkloadsAndPlatforms) {
  const Answer answer = run_program({"list"});
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.err, "");
  for (const char* line : {"\nschedule  layerpipe ", "\nschedule  pipedream ", "\nworkload  vgg16 ",
                           "\nplatform  eight-128x128 "}) {
    EXPECT_THAT(answer.out, HasSubstr(line));
  }
}

TEST(List, HasAllPlatformsInOrderOfTheirProcessors) {
  const json list = json::parse(run_program({"list", "--format", "json"}).out);
  std::vector<std::size_t> processors;
  for (const json& platform : list.at("platforms")) {
    processors.push_back(platform.at("processors"));
  }
  EXPECT_EQ(processors.size(), 42U);  // as tests/platforms/file/generate_test.cpp
  EXPECT_TRUE(std::ranges::is_sorted(processors));
}

// The topology is not written in the files, but told from their routes. Names of chains end with
// it.
TEST(List, TellsTheTopologyOfPlatforms) {
  const json list = json::parse(run_program({"list", "--format", "json"}).out);
  for (const json& platform : list.at("platforms")) {
    const bool is_chain = platform.at("name").get<std::string>().ends_with("-chain");
    EXPECT_EQ(platform.at("topology"), is_chain ? "chain" : "crossbar") << platform;
  }
}

TEST(List, TellsThePropertiesOfPlatforms) {
  const json twelve = shipped("platforms", "twelve-64x64-chain");
  EXPECT_EQ(twelve.at("processors"), 12);
  EXPECT_EQ(twelve.at("array"), "64x64");
  EXPECT_EQ(twelve.at("links"), 22);  // both directions of the 11 between neighbours
}

// torchvision's number of parameters.
TEST(List, TellsThePropertiesOfWorkloads) {
  EXPECT_EQ(shipped("workloads", "vgg16").at("parameters"), 138'357'544);
}

}  // namespace
}  // namespace layerpipe::tests
