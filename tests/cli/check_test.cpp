#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using testing::HasSubstr;

TEST(Check, SaysWhatGoodFilesContain) {
  const Answer answer = run_program({"check", "platforms/three-32x32.xml", "workloads/vgg16.yaml"});
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.err, "");
  EXPECT_THAT(answer.out, HasSubstr("3 processors of 32x32 at 1 GHz, weight-stationary, 6 links"));
  EXPECT_THAT(answer.out, HasSubstr("16 with weights, 138,357,544 parameters, batch 32"));
}

// Several platforms can be read, although a process can load only one.
TEST(Check, GoesThroughAllFilesAndEndsWithExitCode3) {
  const Answer answer =
      run_program({"check", "no-such-file.yaml", "platforms/three-32x32.xml", "docs",
                   "platforms/eight-128x128.xml", "workloads/mlp.yaml", "--format", "json"});
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.err, testing::StartsWith("layerpipe: no-such-file.yaml: cannot be read"));
  EXPECT_THAT(answer.err, HasSubstr("\nlayerpipe: docs: is a directory"));
  EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 2);
  const nlohmann::json files = nlohmann::json::parse(answer.out)["files"];
  ASSERT_EQ(files.size(), 5U);
  EXPECT_TRUE(files[0]["kind"].is_null());
  EXPECT_EQ(files[1]["processors"], 3);
  EXPECT_EQ(files[3]["processors"], 8);
  EXPECT_EQ(files[4]["kind"], "workload");
}

}  // namespace
}  // namespace layerpipe::tests
