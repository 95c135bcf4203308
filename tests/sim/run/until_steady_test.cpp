#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/engine/load_machine.hpp"
#include "sim/metrics/result_json.hpp"
#include "sim/process/isolated_process.hpp"
#include "sim/run/run.hpp"
#include "workloads/read/read_network.hpp"

// A run that ends when its steady state is proven says of it what the whole run says: the latter
// sees the rhythm again and again, and its end. On every shipped platform.
namespace layerpipe::run {
namespace {

using namespace engine;
using namespace metrics;
using namespace process;
using namespace trace;

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Names of the shipped files of a folder, without folder and suffix, in order.
std::vector<std::string> shipped(const std::string& folder, const std::string& suffix) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(LAYERPIPE_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == suffix) names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// What a result says of the steady state, and nothing else: peaks of memory may be those of the
/// drain.
Json of_steady_state(Result result) {
  result.iterations = 0;
  result.makespan_cycles = 0;
  result.layers.clear();
  for (ProcessorResult& processor : result.processors) {
    processor.busy_cycles = 0;
    processor.stall_cycles = {};
    processor.peak_memory_bytes = {};
  }
  return to_json(result);
}

/// A network on a platform under both schedules: each run whole, and until steady. A list of
/// objects: what each says of the steady state, whether that is exact, iterations that were run.
Json whole_and_stopped(const std::string& platform, const std::string& workload) {
  const std::string folder = LAYERPIPE_SOURCE_DIR;
  return Json::parse(run_isolated([&] {
    const auto machine = load_machine(fmt::format("{}/platforms/{}.xml", folder, platform));
    const auto network = read::read_network(fmt::format("{}/workloads/{}.yaml", folder, workload));
    const auto profile = costs::profile(machine, network);
    const auto executed = [&](const std::string& schedule, bool until_steady) {
      return run({.machine = machine,
                  .network = network,
                  .profile = profile,
                  .scheduler = scheduler::find_scheduler(schedule),
                  .scheduler_options = {},
                  .iterations = 200,
                  .until_steady = until_steady,
                  .options = Json::object()});
    };
    Json pairs = Json::array();
    for (const char* schedule : {"pipedream", "layerpipe"}) {
      const Result whole = executed(schedule, false);
      const Result stopped = executed(schedule, true);
      pairs.push_back({{"schedule", schedule},
                       {"whole", of_steady_state(whole)},
                       {"stopped", of_steady_state(stopped)},
                       {"exact", whole.steady_state.exact},
                       {"iterations", stopped.iterations},
                       {"requested", stopped.iterations_requested}});
    }
    return pairs.dump();
  }));
}

class UntilSteady : public testing::TestWithParam<std::string> {};

TEST_P(UntilSteady, SaysTheSameAsTheWholeRun) {
  int stopped_early = 0;
  for (const std::string& platform : shipped("platforms", ".xml")) {
    for (const Json& pair : whole_and_stopped(platform, GetParam())) {
      SCOPED_TRACE(fmt::format("on {} under {}", platform, pair["schedule"].get<std::string>()));
      EXPECT_EQ(pair["stopped"], pair["whole"]);
      EXPECT_EQ(pair["requested"], 200);
      EXPECT_TRUE(pair["exact"] || pair["iterations"] == 200);
      if (pair["iterations"] < 200) ++stopped_early;
    }
  }
  EXPECT_GT(stopped_early, 0);
}

INSTANTIATE_TEST_SUITE_P(Shipped, UntilSteady, testing::ValuesIn(shipped("workloads", ".yaml")),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace layerpipe::run
