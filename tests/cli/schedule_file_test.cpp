#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

const std::string two = "two-32x32";
const std::string sample = "sample4";

class ScheduleFile : public testing::Test {
 protected:
  ~ScheduleFile() override {
    std::remove(path_.c_str());
    std::remove((path_ + ".provenance.json").c_str());
  }

  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  [[nodiscard]] Answer simulate(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"simulate", two, sample, "--schedule-file", path_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  const std::string path_ = temporary_path("plan.csv");
};

/// The result without what the schedule is called in it.
Json result_of(const Answer& answer) {
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  Json result = Json::parse(answer.out);
  for (const char* key : {"schedule", "options", "provenance"}) result.erase(key);
  return result;
}

TEST_F(ScheduleFile, GivesWhatTheScheduleGaveThatItIsOf) {
  for (const char* platform : {"two-32x32", "three-32x32"}) {
    for (const char* schedule :
         {"gpipe", "1f1b", "eager-1f1b", "interleaved-1f1b", "looped-bfs", "zb-h1", "zb-h2"}) {
      SCOPED_TRACE(fmt::format("{} on {}", schedule, platform));
      const std::vector<std::string> by_name{platform,      "vgg16", "--batch",         "12",
                                             "--placement", "even",  "--micro-batches", "6",
                                             "--schedule",  schedule};
      const std::vector<std::string> by_file{platform,      "vgg16", "--batch",         "12",
                                             "--placement", "even",  "--schedule-file", path_};
      const auto ask = [](const std::string& command, std::vector<std::string> arguments,
                          const std::vector<std::string>& more) {
        arguments.insert(arguments.begin(), command);
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments);
      };
      const Answer written = ask("schedule", by_name, {"--format", "pytorch", "--output", path_});
      ASSERT_EQ(written.exit_code, 0) << written.err;
      EXPECT_THAT(written.err, HasSubstr("layerpipe: stages begin with conv1_1, "));
      EXPECT_EQ(result_of(ask("simulate", by_file, {"--format", "json"})),
                result_of(ask("simulate", by_name, {"--format", "json"})));
      EXPECT_EQ(ask("schedule", by_file, {"--format", "pytorch"}).out, content(path_));
    }
  }
}

TEST_F(ScheduleFile, TakesStagesFromTheCommandLine) {
  write("0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n");
  const Answer answer = simulate({"--stages", "1,3", "--format", "json"});
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const Json result = Json::parse(answer.out);
  EXPECT_EQ(result["schedule"], "pytorch");
  EXPECT_EQ(result["options"]["schedule_file"], path_);
  EXPECT_EQ(result["options"]["stages"], (std::vector{1, 3}));
  EXPECT_EQ(result["options"]["micro_batches"], 2);
  EXPECT_EQ(result["provenance"]["inputs"].size(), 3U);
  EXPECT_EQ(simulate({"--stages", "2,1,1"}).exit_code, 2);
  EXPECT_EQ(simulate({"--stages", "1,2"}).exit_code, 4);
}

TEST_F(ScheduleFile, SaysWhereItHangs) {
  write("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n");
  const Answer answer = simulate({});
  EXPECT_EQ(answer.exit_code, 5);
  EXPECT_EQ(answer.err,
            "layerpipe: schedule pytorch came to a stop: p0 waits in input_gradient of conv2, "
            "minibatch 0, micro-batch 0 for input_gradient of conv4, minibatch 0, micro-batch 0 on "
            "p1; p1 waits in forward of conv3, minibatch 0, micro-batch 1 for forward of conv2, "
            "minibatch 0, micro-batch 1 on p0\n");
}

TEST_F(ScheduleFile, RefusesWhatDoesNotFit) {
  write("0F0,0F1,0F2,0B0,0B1,0B2\n");
  Answer answer = simulate({});
  EXPECT_EQ(answer.exit_code, 4);
  EXPECT_THAT(answer.err,
              HasSubstr("is not divided into 3 micro-batches (expected one of 1, 2, 4"));
  write("0F0,0B0\n1F0,1B0\n2F0,2B0\n");
  answer = simulate({});
  EXPECT_EQ(answer.exit_code, 4);
  EXPECT_THAT(answer.err, HasSubstr("3 ranks, and the machine 2 processors"));
  write("0F0,0B0,oops\n");
  answer = simulate({});
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.err, HasSubstr("plan.csv:1:9: unknown action 'oops'"));
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--schedule", "gpipe"},
                                             {"--micro-batches", "2"},
                                             {"--allocation", "file"},
                                             {"--delays", "0"}}) {
    EXPECT_EQ(simulate(options).exit_code, 2) << options.front();
  }
  write("0F0,0B0\n1F0,1B0\n");
  EXPECT_EQ(simulate({"--placement", "layerpipe"}).exit_code, 4);
  EXPECT_EQ(simulate({"--output", path_}).exit_code, 2);
}

TEST_F(ScheduleFile, IsARowOfAComparison) {
  write("0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n");
  const Answer answer =
      run_program({"compare", two, sample, "--schedules", "gpipe", "--micro-batches", "2",
                   "--schedule-file", path_, "--format", "json"});
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const Json runs = Json::parse(answer.out)["schedules"];
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1]["schedule"], "pytorch");
  EXPECT_GT(runs[0]["steady_state"]["period_cycles"], 0);
  EXPECT_EQ(runs[0]["steady_state"], runs[1]["steady_state"]);
}

// Each has a micro-batch in flight.
TEST_F(ScheduleFile, NeighboursOnOneProcessorAreTwoStages) {
  write("0F0,1F0,1B0,0B0\n");
  const std::vector<std::string> one{"--processors", "1", "--format", "json"};
  std::vector<std::string> more = one;
  more.insert(more.end(), {"--stages", "2,2"});
  const Json result = result_of(simulate(more));
  EXPECT_EQ(result["processors"][0]["peak_micro_batches"]["until_weight_gradient"], 2);
}

TEST_F(ScheduleFile, IsNotWrittenOfOtherSchedules) {
  const auto refusal = [](const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"schedule", two, sample, "--format", "pytorch"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Answer answer = run_program(arguments);
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_EQ(answer.out, "");
    return answer.err;
  };
  EXPECT_THAT(refusal({}), HasSubstr("layerpipe has no order of micro-batches with a flush"));
  EXPECT_THAT(refusal({"--schedule", "pipedream"}), HasSubstr("pipedream has no order of micro"));
  EXPECT_THAT(refusal({"--schedule", "pipedream-2bw"}), HasSubstr("pipedream-2bw has no flush"));
  EXPECT_THAT(refusal({"--schedule", "gpipe", "--placement", "layerpipe"}),
              HasSubstr("gpipe lends parts of input gradients"));
}

}  // namespace
}  // namespace layerpipe::tests
