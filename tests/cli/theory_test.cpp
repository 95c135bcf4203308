#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

using Json = nlohmann::ordered_json;

Json theory(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "theory");
  arguments.insert(arguments.end(), {"--format", "json"});
  const Answer answer = run_program(arguments);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  return Json::parse(answer.out);
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> result;
  for (const auto& [key, value] : object.items()) result.push_back(key);
  return result;
}

// Reference figures R4, and M = 2 S: conv1 and conv2 lie on the first of three stages.
TEST(Theory, SampleNetwork) {
  const Json json = theory({"platforms/three-32x32.xml", "workloads/sample4.yaml"});
  EXPECT_EQ(keys(json),
            (std::vector<std::string>{"platform", "workload", "schedule", "options", "steps",
                                      "edges", "retiming_obstacle", "layers", "kept", "processors",
                                      "critical_loop", "bounds", "recurrence_period_cycles",
                                      "simulated_period_cycles", "provenance"}));
  EXPECT_EQ(keys(json["layers"][0]),
            (std::vector<std::string>{"name", "stage", "staleness", "weight_versions",
                                      "activation_versions", "simulated_weight_versions",
                                      "simulated_activation_versions"}));
  EXPECT_EQ(keys(json["critical_loop"]),
            (std::vector<std::string>{"cycles", "delays", "cycles_per_delay", "path"}));
  EXPECT_EQ(json["bounds"]["slowest_processor_cycles"], 32007170);
  EXPECT_EQ(json["recurrence_period_cycles"], 32007170.0);
  EXPECT_EQ(json["simulated_period_cycles"], 32007170.0);
  const std::vector<int> staleness{4, 4, 2, 0};
  for (std::size_t l = 0; l < staleness.size(); ++l) {
    EXPECT_EQ(json["layers"][l]["staleness"], staleness[l]);
    EXPECT_EQ(json["layers"][l]["weight_versions"], staleness[l] + 1);
  }
}

/// By hand: M = 4 on p0, so 5 versions of conv1's 7 x 7 x 3 x 16 weights and 16 biases of 4 bytes,
/// and of its input of 32 x 3 x 224 x 224. conv2 and conv3 lend.
TEST(Theory, SaysWhatIsKeptWhere) {
  const Json json = theory({"platforms/three-32x32.xml", "workloads/sample4.yaml"});
  const Json& kept = json["kept"];
  ASSERT_EQ(kept.size(), 6U);
  EXPECT_EQ(kept[0], (Json{{"layer", "conv1"},
                           {"processor", "p0"},
                           {"lent", false},
                           {"weight_versions", 5},
                           {"simulated_weight_versions", 5},
                           {"weight_bytes", 5 * (7 * 7 * 3 * 16 + 16) * 4},
                           {"activation_versions", 5},
                           {"activation_bytes", 5 * 32 * 3 * 224 * 224 * 4}}));
  for (const std::size_t lent : {2U, 4U}) {
    EXPECT_EQ(kept[lent]["layer"], kept[lent - 1]["layer"]);
    EXPECT_EQ(kept[lent]["lent"], true);
    EXPECT_EQ(kept[lent]["processor"], lent == 2 ? "p1" : "p2");
    EXPECT_GT(kept[lent]["simulated_weight_versions"], 0);
    EXPECT_LE(kept[lent]["simulated_weight_versions"], kept[lent]["weight_versions"]);
  }
}

TEST(Theory, CsvHasLentWeightsToo) {
  const Answer answer = run_program(
      {"theory", "platforms/three-32x32.xml", "workloads/sample4.yaml", "--format", "csv"});
  EXPECT_THAT(answer.out,
              testing::StartsWith("layer,stage,staleness,weight_versions,activation_versions,"
                                  "simulated_weight_versions,simulated_activation_versions,"
                                  "weight_bytes,activation_bytes,borrower,lent_weight_versions,"
                                  "simulated_lent_weight_versions,lent_weight_bytes\n"
                                  "conv1,0,4,5,5,5,5,47360,96337920,,0,0,0\n"
                                  "conv2,0,4,5,5,5,5,"));
}

/// p layers of 300 + 400 + 300 cycles, one for each of three processors; what crosses a boundary
/// takes c cycles on links of 64 bytes a cycle and no latency.
class UniformStages : public testing::Test {
 protected:
  void SetUp() override {
    const Answer answer = run_program({"platform", "--processors", "3", "--bandwidth", "64 GB/s",
                                       "--latency", "0 ns", "--output", platform_});
    ASSERT_EQ(answer.exit_code, 0) << answer.err;
  }

  void TearDown() override {
    std::filesystem::remove(platform_);
    std::filesystem::remove(workload_);
  }

  [[nodiscard]] Json run(int transfer_cycles, const std::string& schedule) const {
    std::ofstream file(workload_);
    file << "layers:\n";
    for (const char* name : {"a", "b", "c"}) {
      file << "  - {name: " << name
           << ", type: measured, forward: 300 cycles, input_gradient: 400 cycles, "
              "weight_gradient: 300 cycles, activation: "
           << 64 * transfer_cycles << " B, weight: 1 B}\n";
    }
    file.close();
    return theory({platform_, workload_, "--schedule", schedule, "--first-input-gradient"});
  }

  std::string platform_ = temporary_path("uniform.xml");
  std::string workload_ = temporary_path("uniform.yaml");
};

/// Reference figures R3 at p = 3: 1F1B has T + 2 c (p - 1) / p. All of it is a loop.
TEST_F(UniformStages, OneForwardOneBackward) {
  const Json json = run(300, "pipedream");
  for (const char* key : {"recurrence_period_cycles", "simulated_period_cycles"}) {
    EXPECT_DOUBLE_EQ(json[key], 1000.0 + 2.0 * 300 * 2 / 3);
  }
  EXPECT_DOUBLE_EQ(json["bounds"]["critical_loop_cycles"], 1000.0 + 2.0 * 300 * 2 / 3);
  for (const Json& layer : json["layers"]) {
    EXPECT_EQ(layer["staleness"], 2 - layer["stage"].get<int>());
    EXPECT_EQ(layer["simulated_weight_versions"], layer["weight_versions"]);
    EXPECT_EQ(layer["simulated_activation_versions"], layer["activation_versions"]);
  }
}

/// Every layer keeps as many versions as the theory says.
TEST_F(UniformStages, KeepAsManyVersionsAsDerived) {
  const Json json = run(1, "layerpipe");
  for (const Json& layer : json["layers"]) {
    EXPECT_EQ(layer["staleness"], 2 * (2 - layer["stage"].get<int>()));
    EXPECT_EQ(layer["simulated_weight_versions"], layer["weight_versions"]);
    EXPECT_EQ(layer["simulated_activation_versions"], layer["activation_versions"]);
  }
  for (const Json& processor : json["processors"]) {
    EXPECT_EQ(processor["simulated_weight_bytes"], processor["weight_bytes"]);
    EXPECT_EQ(processor["simulated_activation_bytes"], processor["activation_bytes"]);
  }
}

/// No layer of a shipped graph keeps more.
TEST(Theory, NoLayerKeepsMoreVersions) {
  for (const char* schedule : {"layerpipe", "pipedream"}) {
    const Json json = theory({"platforms/four-64x64-chain.xml", "workloads/resnet18.yaml",
                              "--schedule", schedule, "--iterations", "30"});
    for (const Json& layer : json["layers"]) {
      EXPECT_LE(layer["simulated_weight_versions"], layer["weight_versions"]);
      EXPECT_LE(layer["simulated_activation_versions"], layer["activation_versions"]);
    }
    for (const Json& processor : json["processors"]) {
      EXPECT_LE(processor["simulated_weight_bytes"], processor["weight_bytes"]);
      EXPECT_LE(processor["simulated_activation_bytes"], processor["activation_bytes"]);
    }
  }
}

/// n = 2 boundaries: as it was, input and output, gradients, two boundaries.
TEST(Theory, DrawsEachStep) {
  const std::string folder = temporary_path("steps");
  const Answer answer = run_program(
      {"theory", "platforms/three-32x32.xml", "workloads/sample4.yaml", "--dot", folder});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(text.starts_with("digraph pipeline {\n"));
    EXPECT_TRUE(text.ends_with("}\n"));
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("step-00.dot", "step-01.dot", "step-02.dot",
                                                   "step-03.dot", "step-04.dot"));
  std::filesystem::remove_all(folder);
}

TEST(Theory, SaysWherePicturesCannotBeWritten) {
  const Answer answer = run_program({"theory", "platforms/three-32x32.xml",
                                     "workloads/sample4.yaml", "--dot", "/no/such/folder"});
  EXPECT_EQ(answer.exit_code, 74);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, testing::HasSubstr("/no/such/folder: cannot be made"));
}

}  // namespace
}  // namespace layerpipe::tests
