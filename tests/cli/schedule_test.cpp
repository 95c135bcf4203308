#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

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
  EXPECT_EQ(schedule("platforms/three-32x32.xml", "pipedream")["options"].dump(),
            R"({"schedule":"pipedream","processors":3,"batch":32,"array":"32x32",)"
            R"("clock_hertz":1000000000.0,"alpha":1.001,)"
            R"("objective":"communication","first_input_gradient":false,)"
            R"("max_lent_weight_bytes":null,"max_lent_bytes":null,"dataflow":"weight-stationary",)"
            R"("weight_gradient_dataflow":"weight-stationary","input_gradient":"convolution"})");
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
