#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/cli/terminal.hpp"

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

/// How often `text` is said.
int count(const std::string& said, const std::string& text) {
  int times = 0;
  for (std::size_t at = said.find(text); at != std::string::npos; at = said.find(text, at + 1)) {
    ++times;
  }
  return times;
}

TEST(Check, SaysAnErrorOnceOnATerminal) {
  const std::vector<std::string> words{"check", "no-such-file.yaml"};
  const std::string problem = "cannot be read";
  const Terminal terminal;
  EXPECT_EQ(run_program(words, "> " + terminal.path() + " 2>&1").exit_code, 3);
  EXPECT_EQ(count(terminal.shown(), problem), 1);
  static_cast<void>(run_program({"check", "no-such-file.yaml", "--format", "json"},
                                "> /dev/null 2> " + terminal.path()));
  EXPECT_EQ(count(terminal.shown(), problem), 1);
  EXPECT_EQ(count(run_program(words).err, problem), 1);
}

TEST(Check, AcceptsByteOrderMarks) {
  const std::string folder = temporary_path("marked");
  std::filesystem::create_directories(folder);
  const auto marked = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder + "/" + name, std::ios::binary) << "\xEF\xBB\xBF" << text;
    return folder + "/" + name;
  };
  const std::string platform =
      marked("p.xml", content(LAYERPIPE_SOURCE_DIR "/platforms/three-32x32.xml"));
  const std::string workload =
      marked("w.yaml", content(LAYERPIPE_SOURCE_DIR "/workloads/sample4.yaml"));
  const std::string spec = marked(
      "s.yaml", "workloads: w.yaml\nplatforms: p.xml\nschedules: layerpipe\niterations: 5\n");
  const Answer plan = run_program({"schedule", platform, workload, "--format", "json"});
  const std::string allocation = marked("a.json", plan.out);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", platform, workload},
        {"simulate", platform, workload, "--allocation", allocation, "--iterations", "5"},
        {"sweep", spec, "--output", folder + "/r.csv"}}) {
    const Answer answer = run_program(words);
    EXPECT_EQ(answer.exit_code, 0) << words[0] << answer.err;
  }
  EXPECT_THAT(content(folder + "/r.csv"), HasSubstr(",ok,"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace layerpipe::tests
