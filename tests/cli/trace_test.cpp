#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/cli/run_program.hpp"

namespace layerpipe::tests {
namespace {

struct Pair {
  const char* platform;
  const char* workload;
};

/// Every network, and every size and topology of machine, once.
class ShippedPair : public testing::TestWithParam<Pair> {};

// pj_dump leaves with 1 at the first line that it does not understand, or that goes back in time.
TEST_P(ShippedPair, HasAPajeTraceThatPajengReads) {
  if (std::system("command -v pj_dump > /dev/null") != 0) {
    GTEST_SKIP() << "pj_dump (Debian: pajeng) is not installed";
  }
  const std::string path = temporary_path("pair.paje");
  for (const char* schedule : {"layerpipe", "pipedream"}) {
    const Answer answer =
        run_program({"simulate", GetParam().platform, GetParam().workload, "--schedule", schedule,
                     "--iterations", "4", "--trace", path});
    ASSERT_EQ(answer.exit_code, 0) << answer.err;
    EXPECT_EQ(std::system(("pj_dump -l 9 " + path + " > /dev/null").c_str()), 0) << schedule;
  }
  std::remove(path.c_str());
}

/// The greatest values of the counters of memory are the peaks that the report gives.
TEST_P(ShippedPair, TracesTheMemoryThatIsReported) {
  const std::string path = temporary_path("pair.json");
  const Answer answer = run_program({"simulate", GetParam().platform, GetParam().workload,
                                     "--iterations", "4", "--trace", path, "--format", "json"});
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  std::ifstream file(path);
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> most;
  const nlohmann::json trace = nlohmann::json::parse(file);
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "C" || !event.at("args").contains("weight_bytes")) continue;
    auto& [weights, activations] = most[event.at("name")];
    weights = std::max(weights, event.at("args").at("weight_bytes").get<std::int64_t>());
    activations =
        std::max(activations, event.at("args").at("activation_bytes").get<std::int64_t>());
  }
  const nlohmann::json result = nlohmann::json::parse(answer.out);
  for (const nlohmann::json& processor : result.at("processors")) {
    const auto& [weights, activations] = most[processor.at("name")];
    EXPECT_EQ(weights, processor.at("peak_memory_bytes").at("weights")) << processor.at("name");
    EXPECT_EQ(activations, processor.at("peak_memory_bytes").at("activations"))
        << processor.at("name");
  }
  std::remove(path.c_str());
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, ShippedPair,
    testing::Values(Pair{"three-32x32", "sample4"}, Pair{"two-64x64-chain", "alexnet"},
                    Pair{"eight-128x128", "vgg16"}, Pair{"four-256x256-chain", "vgg16-conv"},
                    Pair{"two-32x32", "mlp"}, Pair{"twelve-64x64", "resnet18"},
                    Pair{"sixteen-32x32-chain", "resnet50"}, Pair{"eight-32x32-chain", "unet"},
                    Pair{"sixteen-256x256", "mobilenet_v2"}),
    [](const auto& pair) {
      std::string name = pair.param.workload;
      for (char& c : name) c = c == '-' ? '_' : c;
      return name;
    });

}  // namespace
}  // namespace layerpipe::tests
