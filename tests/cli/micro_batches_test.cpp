#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* synchronous =
    "gpipe, 1f1b, eager-1f1b, interleaved-1f1b, looped-bfs, zb-h1, zb-h2 or pipedream-2bw";

/// On the sample network, a batch of 32.
Answer run_on(const std::string& platform, const std::string& command,
              const std::vector<std::string>& options) {
  std::vector<std::string> arguments{command, platform, "sample4"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return run_program(arguments);
}

json result_on(const std::string& platform, std::vector<std::string> options) {
  options.insert(options.end(), {"--format", "json"});
  const Answer answer = run_on(platform, "simulate", options);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  return json::parse(answer.out);
}

std::vector<std::int64_t> in_flight(const json& result, const char* until) {
  std::vector<std::int64_t> counts;
  for (const json& processor : result["processors"]) {
    counts.push_back(processor["peak_micro_batches"][until].get<std::int64_t>());
  }
  return counts;
}

/// 8 divides 32 and is no more than four times three processors; 16 is.
TEST(MicroBatches, HaveADefault) {
  const json result = result_on("three-32x32", {"--schedule", "gpipe"});
  EXPECT_EQ(result["micro_batches"], 8);
  EXPECT_EQ(result["options"]["micro_batches"], 8);
  EXPECT_EQ(result["options"]["placement"], "whole");
  EXPECT_FALSE(result["options"].contains("chunks"));
  EXPECT_THAT(in_flight(result, "until_weight_gradient"), ElementsAre(8, 8, 8));
}

TEST(MicroBatches, AreAsManyAsIsSaid) {
  const json gpipe = result_on("three-32x32", {"--schedule", "gpipe", "--micro-batches", "4"});
  EXPECT_EQ(gpipe["micro_batches"], 4);
  EXPECT_EQ(gpipe["options"]["micro_batches"], 4);
  EXPECT_THAT(in_flight(gpipe, "until_input_gradient"), ElementsAre(4, 4, 4));
  const json turns = result_on("three-32x32", {"--schedule", "1f1b", "--micro-batches", "4"});
  EXPECT_THAT(in_flight(turns, "until_weight_gradient"), ElementsAre(3, 2, 1));
  const json late = result_on("three-32x32", {"--schedule", "zb-h1", "--micro-batches", "4"});
  EXPECT_THAT(in_flight(late, "until_weight_gradient"), ElementsAre(3, 3, 3));
}

/// Whole minibatches, in other schedules.
TEST(MicroBatches, AreOneWhereAScheduleHasNone) {
  const json result = result_on("three-32x32", {"--schedule", "pipedream"});
  EXPECT_EQ(result["micro_batches"], 1);
  EXPECT_FALSE(result["options"].contains("micro_batches"));
  EXPECT_THAT(in_flight(result, "until_weight_gradient"), ElementsAre(3, 2, 1));
}

TEST(MicroBatches, GoThroughSeveralStagesOfAProcessor) {
  const json result = result_on("two-32x32", {"--schedule", "interleaved-1f1b", "--micro-batches",
                                              "4", "--chunks", "2", "--placement", "even"});
  EXPECT_EQ(result["options"]["chunks"], 2);
  EXPECT_EQ(result["options"]["placement"], "even");
  EXPECT_EQ(result["processors"][0]["layers"].size(), 2U);
  EXPECT_EQ(result["processors"][0]["layers"], json({"conv1", "conv3"}));
  EXPECT_THAT(in_flight(result, "until_weight_gradient"), ElementsAre(5, 3));
}

TEST(MicroBatches, LendWhatThePlacementLends) {
  const json whole = result_on("three-32x32", {"--schedule", "1f1b", "--micro-batches", "4"});
  const json lent = result_on(
      "three-32x32", {"--schedule", "1f1b", "--micro-batches", "4", "--placement", "layerpipe"});
  EXPECT_EQ(whole["communication_per_minibatch"]["additional_weights_bytes"], 0);
  EXPECT_GT(lent["communication_per_minibatch"]["additional_weights_bytes"], 0);
  EXPECT_LT(lent["bounds"]["slowest_processor_cycles"],
            whole["bounds"]["slowest_processor_cycles"]);
}

TEST(MicroBatches, AreComparedWithSchedulesThatHaveNone) {
  const Answer answer = run_on("two-32x32", "compare",
                               {"--schedules", "pipedream,looped-bfs,1f1b", "--micro-batches", "4",
                                "--chunks", "2", "--placement", "even", "--format", "json"});
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const json compared = json::parse(answer.out);
  std::vector<std::int64_t> micro_batches;
  for (const json& run : compared["schedules"]) {
    micro_batches.push_back(run["micro_batches"].get<std::int64_t>());
  }
  EXPECT_THAT(micro_batches, ElementsAre(1, 4, 4));
}

void expect_refusal(const Answer& answer, int exit_code, const std::string& message) {
  EXPECT_EQ(answer.exit_code, exit_code);
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(answer.err, "layerpipe: " + message + "\n");
}

TEST(MicroBatches, DivideTheBatch) {
  for (const char* command : {"simulate", "schedule"}) {
    expect_refusal(
        run_on("three-32x32", command, {"--schedule", "gpipe", "--micro-batches", "5"}), 4,
        "sample4: a batch of 32 is not divided into 5 micro-batches (expected one of 1, 2, 4, 8, "
        "16, 32)");
  }
}

TEST(MicroBatches, AreAsManyAsTheScheduleNeeds) {
  expect_refusal(run_on("three-32x32", "simulate", {"--schedule", "zb-h2", "--micro-batches", "4"}),
                 4, "zb-h2: 4 micro-batches on 3 processors (expected 5 or more)");
  expect_refusal(
      run_on("four-32x32", "simulate",
             {"--schedule", "pipedream-2bw", "--micro-batches", "2", "--placement", "even"}),
      4, "pipedream-2bw: 2 micro-batches on 4 processors (expected 3 or more)");
  expect_refusal(run_on("three-32x32", "simulate",
                        {"--schedule", "interleaved-1f1b", "--micro-batches", "4", "--chunks", "1",
                         "--placement", "even"}),
                 4, "interleaved-1f1b: 4 micro-batches on 3 processors (expected a multiple)");
}

TEST(MicroBatches, OptionsAreRefusedWhereNoScheduleReadsThem) {
  const std::string nobody = "no chosen schedule reads it (expected ";
  for (const char* option : {"--micro-batches", "--placement"}) {
    const std::string value = option == std::string("--placement") ? "even" : "4";
    expect_refusal(run_on("three-32x32", "simulate", {"--schedule", "layerpipe", option, value}), 2,
                   option + (": " + nobody) + synchronous + ")");
    expect_refusal(
        run_on("three-32x32", "compare", {"--schedules", "layerpipe,pipedream", option, value}), 2,
        option + (": " + nobody) + synchronous + ")");
  }
  expect_refusal(run_on("three-32x32", "simulate", {"--schedule", "gpipe", "--chunks", "2"}), 2,
                 "--chunks: " + nobody + "interleaved-1f1b or looped-bfs)");
  expect_refusal(
      run_on("two-32x32", "simulate", {"--schedule", "looped-bfs", "--objective", "compute"}), 2,
      "--objective: " + nobody +
          "pipedream, gpipe, 1f1b, eager-1f1b, zb-h1, zb-h2 or pipedream-2bw)");
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--delays", "S"}, {"--priority", "fixed"}}) {
    const Answer answer =
        run_on("three-32x32", "simulate", {"--schedule", "gpipe", option[0], option[1]});
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_THAT(answer.err, HasSubstr(option[0] + ": "));
  }
}

TEST(MicroBatches, ValuesOfOptionsAreChecked) {
  expect_refusal(run_on("three-32x32", "simulate", {"--schedule", "gpipe", "--micro-batches", "0"}),
                 2, "--micro-batches: '0' is out of range (expected 1 to 1,000,000,000)");
  expect_refusal(run_on("two-32x32", "simulate", {"--schedule", "looped-bfs", "--chunks", "0"}), 2,
                 "--chunks: '0' is out of range (expected 1 to 1,000,000)");
  expect_refusal(
      run_on("three-32x32", "simulate", {"--schedule", "gpipe", "--placement", "odd"}), 2,
      "--placement: unknown name 'odd' (expected whole, even, layerpipe or layerpipe-optimal)");
}

TEST(MicroBatches, TheoryKnowsNone) {
  expect_refusal(run_on("three-32x32", "theory", {"--schedule", "zb-h1"}), 2,
                 "--schedule: theory knows no micro-batches, in which zb-h1 goes (expected another "
                 "schedule)");
}

}  // namespace
}  // namespace layerpipe::tests
