#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using testing::HasSubstr;

// The shipped file was written by the library; its comment names these options.
TEST(Platform, WritesTheShippedFileByDefault) {
  const Answer answer = run_program({"platform"});
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.err, "");
  EXPECT_EQ(answer.out, content(LAYERPIPE_SOURCE_DIR "/platforms/three-32x32.xml"));
}

TEST(Platform, WritesAllShippedFilesAgain) {
  namespace fs = std::filesystem;
  const fs::path folder = temporary_path("platforms");
  fs::create_directory(folder);
  const std::string command = LAYERPIPE_SOURCE_DIR "/platforms/regenerate.sh '" LAYERPIPE_PROGRAM
                                                   "' '" +
                              folder.string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(LAYERPIPE_SOURCE_DIR "/platforms")) {
    if (entry.path().extension() != ".xml") continue;
    ++files;
    EXPECT_EQ(content(folder / entry.path().filename()), content(entry.path())) << entry.path();
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), files);
  fs::remove_all(folder);
}

TEST(Platform, TakesEveryOption) {
  const Answer answer = run_program(
      {"platform", "--processors", "2", "--array", "16x8", "--clock", "500MHz", "--bandwidth",
       "10 GB/s", "--latency", "2us", "--topology", "chain", "--dataflow", "input-stationary",
       "--weight-gradient-dataflow", "output-stationary", "--input-gradient", "gemm"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  for (const char* part : {"id=\"p1\" speed=\"500Mf\"", "bandwidth=\"10GBps\" latency=\"2us\"",
                           "id=\"rows\" value=\"16\"", "id=\"cols\" value=\"8\"",
                           "id=\"dataflow\" value=\"input-stationary\"",
                           "id=\"weight_gradient_dataflow\" value=\"output-stationary\"",
                           "id=\"input_gradient\" value=\"gemm\""}) {
    EXPECT_THAT(answer.out, HasSubstr(part));
  }
}

TEST(Platform, GivesTheWeightGradientTheSameDataflowUnlessToldOtherwise) {
  EXPECT_THAT(run_program({"platform", "--dataflow", "output-stationary"}).out,
              HasSubstr("id=\"weight_gradient_dataflow\" value=\"output-stationary\""));
}

TEST(Platform, IsReadByTheOtherCommands) {
  const std::string path = temporary_path("chain.xml");
  ASSERT_EQ(run_program({"platform", "--topology", "chain", "--output", path}).exit_code, 0);
  const Answer answer = run_program({"check", path});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("3 processors of 32x32 at 1 GHz"));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace layerpipe::tests
