#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

const std::string three = "three-32x32";
const std::string sample = "sample4";

Json report(std::vector<std::string> words) {
  words.insert(words.begin() + 1, {three, sample, "--format", "json"});
  const Answer answer = run_program(words);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  return Json::parse(answer.out);
}

std::vector<std::size_t> layers_of_processors(const Json& result) {
  std::vector<std::size_t> counts;
  for (const Json& processor : result["processors"]) counts.push_back(processor["layers"].size());
  return counts;
}

TEST(Stages, PlaceWholeLayersUnderEitherSchedule) {
  for (const char* schedule : {"layerpipe", "pipedream"}) {
    const Json result = report({"simulate", "--schedule", schedule, "--stages", "1,2,1"});
    EXPECT_EQ(result["schedule"], schedule);
    EXPECT_EQ(result["options"]["stages"], (std::vector{1, 2, 1}));
    EXPECT_EQ(layers_of_processors(result), (std::vector<std::size_t>{1, 2, 1}));
    EXPECT_EQ(result["communication_per_minibatch"]["additional_weights_bytes"], 0);
  }
}

// PipeDream's own partition of the sample on three processors, given by hand.
TEST(Stages, AreTheSameRunAsThoseOfAPlanner) {
  Json planned = report({"simulate", "--schedule", "pipedream"});
  std::string stages;
  for (const std::size_t count : layers_of_processors(planned)) {
    stages += (stages.empty() ? "" : ",") + std::to_string(count);
  }
  Json given = report({"simulate", "--schedule", "pipedream", "--stages", stages});
  EXPECT_EQ(given["steady_state"], planned["steady_state"]);
  EXPECT_EQ(given["processors"], planned["processors"]);
}

TEST(Stages, AreNamedInReports) {
  EXPECT_THAT(run_program({"simulate", three, sample, "--stages", "2,2"}).out,
              HasSubstr("Schedule layerpipe, stages 2,2, iterations: "));
  EXPECT_THAT(run_program({"schedule", three, sample, "--stages", "2,2", "--delays", "0"}).out,
              HasSubstr("Schedule layerpipe, stages 2,2, delays 0 of sample4"));
}

TEST(Stages, AreRowsOfACompareForEachScheduleThatTakesThem) {
  const Answer answer =
      run_program({"compare", three, sample, "--schedules", "pipedream,layerpipe,layerpipe-optimal",
                   "--stages", "2,1,1", "--stages", "4"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  for (const char* row : {"\npipedream, stages 2,1,1 ", "\nlayerpipe, stages 2,1,1 ",
                          "\npipedream, stages 4 ", "\nlayerpipe, stages 4 "}) {
    EXPECT_THAT(answer.out, HasSubstr(row));
  }
}

TEST(Stages, AreRefusedWhereTheyDoNotFit) {
  struct Wrong {
    std::vector<std::string> words;
    int exit_code;
    std::string message;
  };
  for (const Wrong& wrong :
       {Wrong{{"--stages", "2,1"},
              4,
              "stages 2,1 are 3 layers (expected 4 layers with weights in all)"},
        Wrong{{"--stages", "1,1,1,1"},
              4,
              "stages 1,1,1,1 are 4 (expected at most 3, one for each processor)"},
        Wrong{{"--stages", "4,0"}, 2, "--stages: '0' is out of range (expected 1 to 1,000,000)"},
        Wrong{{"--stages", "4", "--schedule", "layerpipe-optimal"},
              2,
              "--stages: layerpipe-optimal places layers by itself (expected --schedule layerpipe "
              "or pipedream)"},
        Wrong{{"--stages", "4", "--alpha", "1.1"},
              2,
              "--alpha: no chosen schedule reads it (expected layerpipe, layerpipe-strict, gpipe, "
              "1f1b, eager-1f1b, zb-h1, zb-h2 or pipedream-2bw)"}}) {
    std::vector<std::string> words{"simulate", three, sample};
    words.insert(words.end(), wrong.words.begin(), wrong.words.end());
    const Answer answer = run_program(words);
    EXPECT_EQ(answer.exit_code, wrong.exit_code);
    EXPECT_EQ(answer.err, "layerpipe: " + wrong.message + "\n");
  }
  EXPECT_EQ(
      run_program({"compare", three, sample, "--schedules", "layerpipe-optimal", "--stages", "4"})
          .err,
      "layerpipe: --stages: no chosen schedule takes them (expected layerpipe or pipedream "
      "among --schedules)\n");
}

}  // namespace
}  // namespace layerpipe::tests
