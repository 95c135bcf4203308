#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

const std::string three = "platforms/three-32x32.xml";
const std::string sample = "workloads/sample4.yaml";

Json report(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin() + 1, {three, sample, "--format", "json"});
  const Answer answer = run_program(arguments);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  return Json::parse(answer.out);
}

std::vector<int> staleness(const Json& result) {
  std::vector<int> delays;
  for (const Json& layer : result["layers"]) delays.push_back(layer["staleness"]);
  return delays;
}

// The sample's layers lie on the stages 0, 0, 1, 2.
TEST(Delays, AreThoseOfTheRule) {
  for (const char* command : {"simulate", "theory"}) {
    EXPECT_EQ(staleness(report({command})), (std::vector{4, 4, 2, 0}));
    EXPECT_EQ(staleness(report({command, "--delays", "2S"})), (std::vector{4, 4, 2, 0}));
    EXPECT_EQ(staleness(report({command, "--delays", "S"})), (std::vector{2, 2, 1, 0}));
    EXPECT_EQ(staleness(report({command, "--delays", "0,7,0,1"})), (std::vector{0, 7, 0, 1}));
  }
}

TEST(Delays, ASingleNumberIsForAllLayers) {
  EXPECT_EQ(staleness(report({"simulate", "--delays", "0"})), (std::vector{0, 0, 0, 0}));
  EXPECT_EQ(staleness(report({"theory", "--delays", "3"})), (std::vector{3, 3, 3, 3}));
  EXPECT_THAT(run_program({"simulate", three, sample, "--delays", "0"}).out,
              HasSubstr("Schedule layerpipe, delays 0, iterations: "));
}

TEST(Delays, ALongListIsAShortLabelAndANote) {
  const std::string list = "9,8,7,6,5,4,3,2,1,0,0,0,0,0,0,0";
  const Answer answer = run_program({"compare", three, "workloads/vgg16.yaml", "--schedules",
                                     "layerpipe", "--delays", list, "--iterations", "5"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("\nlayerpipe, delays 9,8,...,0 "));
  EXPECT_THAT(answer.out, HasSubstr("\nDelays 9,8,...,0 of layerpipe: " + list + "\n"));
}

// The state of this pair does not repeat in 200 minibatches, nor in the 128 of the search.
TEST(Delays, SayWhereTheSearchComparedMeans) {
  const Answer answer =
      run_program({"simulate", "platforms/eight-64x64.xml", "workloads/vgg16.yaml", "--delays",
                   "auto", "--iterations", "30"});
  EXPECT_THAT(answer.out, HasSubstr("The search compared means of short runs, not exact periods"));
}

// Reference figures R4: the bound is 32007170. The least delays reach it, and one less does not.
TEST(Delays, TheLeastReachTheBound) {
  const Json found = report({"simulate", "--delays", "auto"});
  const std::vector<int> least = staleness(found);
  EXPECT_EQ(found["options"]["delays"].get<std::vector<int>>(), least);
  EXPECT_EQ(found["options"]["auto_delays"]["reaches_bound"], true);
  EXPECT_EQ(found["options"]["auto_delays"]["exact"], true);
  EXPECT_EQ(found["steady_state"]["period_cycles"], 32007170.0);
  for (std::size_t l = 0; l < least.size(); ++l) {
    std::string less;
    for (std::size_t i = 0; i < least.size(); ++i) {
      less += (i > 0 ? "," : "") + std::to_string(least[i] - (i == l ? 1 : 0));
    }
    if (least[l] == 0) continue;
    EXPECT_GT(report({"simulate", "--delays", less})["steady_state"]["period_cycles"], 32007170.0);
  }
}

// A lent part sends its result past the next processor, so that in a chain channels share links.
// With 2 S(l) the period is the slowest processor's, which no delays can better; the recurrence
// knows no sharing, and what it finds is slower.
TEST(Delays, AreRaisedWhereTheyAreSlowerInTheSimulation) {
  const std::string chain = temporary_path("chain.xml");
  ASSERT_EQ(run_program({"platform", "--processors", "8", "--topology", "chain", "--bandwidth",
                         "2GB/s", "--output", chain})
                .exit_code,
            0);
  const auto simulated = [&](const std::string& delays) {
    return Json::parse(run_program({"simulate", chain, "workloads/vgg16.yaml", "--delays", delays,
                                    "--format", "json"})
                           .out);
  };
  const Json found = simulated("auto");
  std::remove(chain.c_str());
  const Json& search = found["options"]["auto_delays"];
  EXPECT_EQ(search["has_shared_links"], true);
  EXPECT_GT(search["simulated"]["raised"], 0);
  EXPECT_EQ(search["simulated"]["period_cycles"], found["steady_state"]["period_cycles"]);
  EXPECT_EQ(search["simulated"]["period_cycles_with_2S"], 211791431.0);
  EXPECT_EQ(found["bounds"]["slowest_processor_cycles"], 211791431);
  EXPECT_EQ(found["steady_state"]["period_cycles"], 211791431.0);
}

// One row for PipeDream, which has its own.
TEST(Delays, AreRowsOfAComparison) {
  const Json rows = report({"compare", "--delays", "S", "--delays", "auto", "--delays", "9,0,0,0"});
  ASSERT_EQ(rows["schedules"].size(), 4U);
  EXPECT_TRUE(rows["schedules"][0]["options"]["delays"].is_null());
  EXPECT_EQ(staleness(rows["schedules"][1]), (std::vector{2, 2, 1, 0}));
  EXPECT_TRUE(rows["schedules"][2]["options"].contains("auto_delays"));
  EXPECT_EQ(staleness(rows["schedules"][3]), (std::vector{9, 0, 0, 0}));
}

/// An allocation carries its delays, those that were searched for as numbers; `--delays` replaces
/// them.
TEST(Delays, AreReadBack) {
  const std::string file = temporary_path("delayed.json");
  for (const char* delays : {"S", "3,2,1,0", "auto"}) {
    const Json written = report({"schedule", "--delays", delays});
    std::ofstream(file) << written.dump();
    const Json result = report({"simulate", "--iterations", "20", "--allocation", file});
    EXPECT_EQ(result["options"]["delays"], written["options"]["delays"]);
    EXPECT_EQ(staleness(result),
              staleness(report({"simulate", "--iterations", "20", "--delays", delays})));
    EXPECT_FALSE(result["options"].contains("auto_delays"));
    const Json again =
        report({"simulate", "--iterations", "20", "--allocation", file, "--delays", "1,1,1,1"});
    EXPECT_EQ(staleness(again), (std::vector{1, 1, 1, 1}));
    const Json rows =
        report({"compare", "--iterations", "20", "--allocation", file, "--delays", "2S"});
    EXPECT_EQ(staleness(rows["schedules"][2]), (std::vector{4, 4, 2, 0}));
  }
  std::remove(file.c_str());
}

TEST(Delays, AreRefusedWhereTheyDoNotFit) {
  struct Refused {
    std::vector<std::string> arguments;
    std::string complaint;
  };
  const std::vector<Refused> all{
      {{"simulate", "--delays", "2,1,0"},
       "delays: 3 given (expected 4, one for each layer with weights in order of execution)"},
      {{"schedule", "--delays", "2,1,0,0,0"},
       "delays: 5 given (expected 4, one for each layer with weights in order of execution)"},
      {{"theory", "--delays", "-1,0,0,0"},
       "--delays: '-1' is negative (expected 0 to 1,000,000,000)"},
      {{"simulate", "--delays", "1000000001,0,0,0"},
       "--delays: '1000000001' is out of range (expected 0 to 1,000,000,000)"},
      {{"simulate", "--delays", "3S"},
       "--delays: '3S' is no staleness (expected 2S, S, auto, a whole number for all layers, "
       "or one for each layer with weights, such as 4,2,0)"},
      {{"simulate", "--delays", "2,,0,0"},
       "--delays: '' is no staleness (expected 2S, S, auto, a whole number for all layers, "
       "or one for each layer with weights, such as 4,2,0)"},
      {{"simulate", "--delays", "S", "--schedule", "pipedream"},
       "--delays: no chosen schedule reads it (expected layerpipe, layerpipe-strict or "
       "layerpipe-optimal)"},
      {{"theory", "--delays", "auto", "--schedule", "pipedream"},
       "--delays: no chosen schedule reads it (expected layerpipe, layerpipe-strict or "
       "layerpipe-optimal)"},
      {{"compare", "--delays", "S", "--schedules", "pipedream"},
       "--delays: no chosen schedule reads it (expected layerpipe, layerpipe-strict or "
       "layerpipe-optimal)"},
      {{"compare", "--delays", "S", "--delays", "2S", "--delays", "S"},
       "--delays: 'S' is given twice (expected each once)"},
      {{"compare", "--delays", "auto", "--delays", "auto"},
       "--delays: 'auto' is given twice (expected each once)"},
  };
  for (const Refused& refused : all) {
    std::vector<std::string> arguments = refused.arguments;
    arguments.insert(arguments.begin() + 1, {three, sample});
    const Answer answer = run_program(arguments);
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_EQ(answer.out, "");
    EXPECT_EQ(answer.err, "layerpipe: " + refused.complaint + "\n");
  }
}

/// A run of which no minibatch ever waits for an update: what the weights of the last one lack is
/// all that the 19 before it have learned.
TEST(Delays, MayBeLongerThanTheRun) {
  const Json result =
      report({"simulate", "--iterations", "20", "--delays", "1000000000,999,20,19"});
  EXPECT_EQ(staleness(result), (std::vector{19, 19, 19, 19}));
  for (const Json& layer : result["layers"]) EXPECT_LE(layer["activation_versions"], 20);
}

}  // namespace
}  // namespace layerpipe::tests
