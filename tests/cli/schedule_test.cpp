#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using testing::HasSubstr;

nlohmann::ordered_json schedule(const std::string& platform, const std::string& name) {
  const Answer answer = run_program(
      {"schedule", platform, "workloads/sample4.yaml", "--schedule", name, "--format", "json"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  return nlohmann::ordered_json::parse(answer.out);
}

// Reference figures R4: all three processors 32007170.
TEST(Schedule, LayerPipeReachesThePublishedTarget) {
  const nlohmann::ordered_json json = schedule("platforms/three-32x32.xml", "layerpipe");
  EXPECT_EQ(json["slowest_processor_cycles"], 32007170);
  EXPECT_EQ(json["target_cycles"], 32007170.0);
  for (const auto& processor : json["processors"]) EXPECT_EQ(processor["total_cycles"], 32007170);
}

// Reference figures R4: the slowest of the best whole-layer stages is 43434336.
TEST(Schedule, PipeDreamHasNoTarget) {
  const nlohmann::ordered_json json = schedule("platforms/three-32x32.xml", "pipedream");
  EXPECT_EQ(json["slowest_processor_cycles"], 43434336);
  EXPECT_TRUE(json["target_cycles"].is_null());
}

// Four layers leave four of eight processors without work.
TEST(Schedule, NamesIdleProcessors) {
  const nlohmann::ordered_json json = schedule("platforms/eight-32x32.xml", "layerpipe");
  ASSERT_EQ(json["processors"].size(), 8U);
  EXPECT_EQ(json["processors"][7]["name"], "p7");
  EXPECT_TRUE(json["processors"][7]["operations"].empty());
}

TEST(Schedule, SaysWhichOptionsWereInForce) {
  EXPECT_EQ(
      schedule("platforms/three-32x32.xml", "pipedream")["options"].dump(),
      R"({"schedule":"pipedream","processors":3,"batch":32,"array":"32x32",)"
      R"("clock_hertz":1000000000.0,"alpha":1.001,)"
      R"("objective":"communication","split":"ideal","delays":null,"priority":null,"first_input_gradient":false,)"
      R"("max_lent_weight_bytes":null,"max_lent_bytes":null,"dataflow":"weight-stationary",)"
      R"("weight_gradient_dataflow":"weight-stationary","input_gradient":"convolution"})");
}

nlohmann::ordered_json split_schedule(const std::string& name, const std::string& split) {
  const Answer answer =
      run_program({"schedule", "platforms/three-32x32.xml", "workloads/sample4.yaml", "--schedule",
                   name, "--split", split, "--format", "json"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  return nlohmann::ordered_json::parse(answer.out);
}

// The two of sample4 that can be lent have 16 and 48 channels: one and two column folds of 32. All
// of delta(2), 22480164, and one fold of two of delta(3), 7227036, are lent. p1 is the slowest,
// with 2812488 + 3299072 + 22480164 + 7227036 (reference figures R4).
TEST(Schedule, LendsWholeChannels) {
  const nlohmann::ordered_json json = split_schedule("layerpipe-optimal", "channels");
  EXPECT_EQ(json["options"]["split"], "channels");
  EXPECT_EQ(json["slowest_processor_cycles"], 35818760);
  const nlohmann::ordered_json& lent = json["lent_input_gradients"];
  ASSERT_EQ(lent.size(), 2U);
  EXPECT_EQ(lent[0]["kept_cycles"], 0);
  EXPECT_EQ(lent[1]["kept_cycles"], 7227036);
  EXPECT_EQ(lent[1]["extra_cycles"], 0);
  ASSERT_EQ(json["split_obstacles"].size(), 1U);
  EXPECT_EQ(json["split_obstacles"][0]["layer"], "conv2");
}

// No lending can do better than a third of all cycles, 96021510 / 3 (reference figures R4).
TEST(Schedule, TheOptimumOfTheSampleNetworkIsThatOfAlgorithm1) {
  EXPECT_EQ(split_schedule("layerpipe-optimal", "ideal")["slowest_processor_cycles"], 32007170);
}

TEST(Schedule, DoesNotDivideMeasuredLayers) {
  const std::string path = temporary_path("measured.yaml");
  std::ofstream(path) << "layers:\n  - {name: only, type: measured, forward: 1 cycles, "
                         "input_gradient: 5 cycles, weight_gradient: 1 cycles, activation: 1 B, "
                         "weight: 1 B}\n";
  for (const char* command : {"schedule", "profile", "simulate", "compare"}) {
    const Answer answer =
        run_program({command, "platforms/three-32x32.xml", path, "--split", "batch"});
    EXPECT_EQ(answer.exit_code, 4) << command;
    EXPECT_EQ(answer.out, "");
    EXPECT_THAT(answer.err, testing::EndsWith("layer only: measured costs are known for the whole "
                                              "layer, not for parts of it by batch (expected "
                                              "--split ideal)\n"));
  }
  std::remove(path.c_str());
}

/// What a run sends for each minibatch is known before: also what lent parts need for weightless
/// layers, and what is passed on.
TEST(Schedule, SaysWhatTheSimulationSends) {
  for (const char* workload : {"sample4", "vgg16", "resnet18", "unet"}) {
    for (const char* name : {"pipedream", "layerpipe"}) {
      std::vector<std::string> arguments{"schedule", "eight-32x32", workload, "--schedule",
                                         name,       "--format",    "json"};
      const auto planned = nlohmann::ordered_json::parse(run_program(arguments).out);
      arguments.front() = "simulate";
      const auto simulated = nlohmann::ordered_json::parse(run_program(arguments).out);
      EXPECT_EQ(planned["communication_per_minibatch"], simulated["communication_per_minibatch"])
          << workload << " under " << name;
    }
  }
}

TEST(Schedule, LendsNothingAboveTheLimits) {
  const Answer answer =
      run_program({"schedule", "platforms/three-32x32.xml", "workloads/sample4.yaml",
                   "--max-lent-weight-bytes", "0", "--format", "csv"});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  std::istringstream rows(answer.out);
  std::string row;
  std::getline(rows, row);
  int operations = 0;
  for (; std::getline(rows, row); ++operations) EXPECT_THAT(row, HasSubstr(",1,"));
  EXPECT_EQ(operations, 11) << "four layers of three operations, less one input gradient";
}

}  // namespace
}  // namespace layerpipe::tests
