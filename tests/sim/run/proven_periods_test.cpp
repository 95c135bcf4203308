#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sim/engine/load_machine.hpp"
#include "sim/metrics/result_json.hpp"
#include "sim/process/isolated_process.hpp"
#include "sim/run/run.hpp"
#include "workloads/read/read_network.hpp"

// In a graph with forks gradients are summed in place. A period is proven there as in a chain;
// where it is not, the mean is no further from that of a long run than it says.
namespace layerpipe::run {
namespace {

using namespace engine;
using namespace metrics;
using namespace process;
using namespace trace;

struct Case {
  std::string platform;
  std::string workload;
  std::size_t processors = 8;
  std::int64_t iterations = most_until_steady;
  double tolerance = default_tolerance;
};

Result simulated(const Case& of) {
  const std::string answer = run_isolated([&] {
    const std::string folder = LAYERPIPE_SOURCE_DIR;
    const auto machine = machine::first_processors(
        load_machine(fmt::format("{}/platforms/{}.xml", folder, of.platform)), of.processors);
    const auto network =
        read::read_network(fmt::format("{}/workloads/{}.yaml", folder, of.workload));
    const costs::Profile profile = costs::profile(machine, network);
    return to_json(run({.machine = machine,
                        .network = network,
                        .profile = profile,
                        .scheduler = scheduler::find_scheduler("layerpipe"),
                        .scheduler_options = {},
                        .iterations = of.iterations,
                        .until_steady = true,
                        .tolerance = of.tolerance,
                        .options = nlohmann::ordered_json::object()}))
        .dump();
  });
  return result_from_json(nlohmann::ordered_json::parse(answer));
}

TEST(ProvenPeriods, OfForkedGraphsOnOneProcessorAtOnce) {
  for (const char* workload : {"resnet18", "unet", "resnet50"}) {
    const Result result = simulated({"eight-32x32", workload, 1, 10});
    EXPECT_EQ(result.steady_state.outcome, "exact") << workload;
    EXPECT_EQ(result.steady_state.relative_error_bound, 0.0);
    EXPECT_EQ(result.steady_state.minibatches_per_period, 1);
    EXPECT_EQ(result.steady_state.period_cycles,
              static_cast<double>(result.bounds.one_processor_cycles));
  }
}

/// No period is below its static bounds, and each is proven or has a bound.
TEST(ProvenPeriods, OfForkedGraphsOnAnyNumberOfProcessors) {
  for (const char* workload : {"resnet18", "unet"}) {
    int proven = 0;
    for (std::size_t processors = 1; processors <= 8; ++processors) {
      const Result result = simulated({"eight-32x32", workload, processors});
      const SteadyState& steady = result.steady_state;
      SCOPED_TRACE(fmt::format("{} on {}: {}", workload, processors, steady.outcome));
      ASSERT_TRUE(steady.relative_error_bound);
      EXPECT_LE(*steady.relative_error_bound, 1e-3);
      EXPECT_GE(steady.period_cycles * (1.0 + *steady.relative_error_bound + 1e-12),
                static_cast<double>(result.bounds.slowest_processor_cycles));
      if (steady.exact) ++proven;
    }
    EXPECT_GE(proven, 4) << workload;
  }
}

/// Its processors differ little, so that the rhythm comes after hundreds of minibatches.
TEST(ProvenPeriods, OfResNet50) {
  const Result result = simulated({"eight-32x32", "resnet50"});
  EXPECT_TRUE(result.steady_state.exact);
  EXPECT_EQ(result.steady_state.period_cycles, 61481998.0);
  EXPECT_GT(result.iterations, 500);
}

class StatedBounds : public testing::TestWithParam<Case> {};

/// Against a run four times as long as the default allows.
TEST_P(StatedBounds, HoldAgainstALongRun) {
  Case of = GetParam();
  const SteadyState stated = simulated(of).steady_state;
  of.iterations = 20000;
  of.tolerance = 1e-9;
  const SteadyState longest = simulated(of).steady_state;
  ASSERT_TRUE(stated.relative_error_bound);
  ASSERT_TRUE(longest.relative_error_bound);
  const double error = std::abs(longest.period_cycles / stated.period_cycles - 1.0);
  EXPECT_LE(error, *stated.relative_error_bound + *longest.relative_error_bound);
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, StatedBounds,
    testing::Values(Case{"eight-32x32", "resnet18", 5}, Case{"eight-32x32", "unet", 7},
                    Case{"eight-32x32", "vgg16", 4}, Case{"eight-32x32", "alexnet", 8},
                    Case{"eight-256x256", "vgg16", 8}),
    [](const auto& instance) {
      return fmt::format("{}{}", instance.param.workload, instance.param.processors);
    });

}  // namespace
}  // namespace layerpipe::run
