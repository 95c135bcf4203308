#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

nlohmann::ordered_json profile(std::vector<std::string> options) {
  std::vector<std::string> arguments{"profile", "platforms/three-32x32.xml",
                                     "workloads/sample4.yaml", "--format", "json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Answer answer = run_program(arguments);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  return nlohmann::ordered_json::parse(answer.out);
}

// Cycles: reference figures R4. Bytes by hand: conv2 has 16 x 48 x 3 x 3 weights of 4 bytes; its
// input is 32 x 16 x 224 x 224 of them.
TEST(Profile, OfTheSampleNetworkIsThatOfTheReference) {
  const nlohmann::ordered_json layer = profile({})["layers"][1];
  EXPECT_EQ(layer["name"], "conv2");
  EXPECT_EQ(layer["forward_cycles"], 4015020);
  EXPECT_EQ(layer["input_gradient_cycles"], 22480164);
  EXPECT_EQ(layer["weight_gradient_cycles"], 5970944);
  EXPECT_EQ(layer["lent_weight_bytes"], 16 * 48 * 9 * 4);
  EXPECT_EQ(layer["boundary_forward_bytes"], 32 * 16 * 224 * 224 * 4);
}

TEST(Profile, GivesTheFirstLayerAnInputGradientOnDemand) {
  EXPECT_EQ(profile({})["layers"][0]["input_gradient_cycles"], 0);
  EXPECT_GT(profile({"--first-input-gradient"})["layers"][0]["input_gradient_cycles"], 0);
}

TEST(Profile, SaysWhichOptionsWereInForce) {
  EXPECT_EQ(profile({"--batch", "16", "--array", "64x32", "--processors", "2"})["options"].dump(),
            R"({"processors":2,"batch":16,"array":"64x32","clock_hertz":1000000000.0,)"
            R"("split":"ideal","first_input_gradient":false,)"
            R"("dataflow":"weight-stationary","weight_gradient_dataflow":"weight-stationary",)"
            R"("input_gradient":"convolution","instead_of_platform":{"array":"64x32"}})");
}

TEST(Profile, OfMoreProcessorsThanThereAreIsExitCode4) {
  const Answer answer = run_program(
      {"profile", "platforms/three-32x32.xml", "workloads/sample4.yaml", "--processors", "4"});
  EXPECT_EQ(answer.exit_code, 4);
  EXPECT_EQ(answer.out, "");
}

}  // namespace
}  // namespace layerpipe::tests
