#include "sim/run/run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/engine/load_machine.hpp"
#include "sim/metrics/result_json.hpp"
#include "sim/process/isolated_process.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::run {
namespace {

using namespace engine;
using namespace metrics;
using namespace process;
using namespace trace;

std::string shipped(const std::string& file) {
  return std::string(LAYERPIPE_SOURCE_DIR) + "/" + file;
}

Result simulated(const std::string& platform, const std::string& workload,
                 const std::string& schedule, std::int64_t iterations, bool until_steady = false) {
  const std::string answer = run_isolated([&] {
    const machine::Machine machine = load_machine(shipped("platforms/" + platform + ".xml"));
    const auto network = read::read_network(shipped("workloads/" + workload + ".yaml"));
    const costs::Profile profile = costs::profile(machine, network);
    const placement::SchedulerOptions options;
    return to_json(run({.machine = machine,
                        .network = network,
                        .profile = profile,
                        .scheduler = scheduler::find_scheduler(schedule),
                        .scheduler_options = options,
                        .iterations = iterations,
                        .until_steady = until_steady,
                        .options = nlohmann::ordered_json::object(),
                        .progress = {}}))
        .dump();
  });
  return result_from_json(nlohmann::ordered_json::parse(answer));
}

/// What holds for every run, whatever its numbers.
void expect_consistent(const Result& result) {
  SCOPED_TRACE(fmt::format("{} on {} under {}, {} iterations", result.workload, result.platform,
                           result.schedule, result.iterations));
  std::int64_t per_minibatch = 0;
  for (const ProcessorResult& processor : result.processors) {
    EXPECT_EQ(processor.busy_cycles + total(processor.stall_cycles), result.makespan_cycles);
    EXPECT_EQ(processor.busy_cycles, processor.busy_cycles_per_minibatch * result.iterations);
    EXPECT_LE(processor.utilization, 1.0 + 1e-12);
    per_minibatch += processor.busy_cycles_per_minibatch;
  }
  EXPECT_EQ(per_minibatch, result.bounds.one_processor_cycles);
  if (result.steady_state.exact) {
    EXPECT_GE(result.steady_state.period_cycles * (1.0 + 1e-12),
              static_cast<double>(result.bounds.slowest_processor_cycles));
    EXPECT_GE(result.steady_state.period_cycles * (1.0 + 1e-9), result.bounds.communication_cycles);
  }
  if (const auto& latency = result.steady_state.latency) {
    EXPECT_LE(static_cast<double>(latency->least_cycles), latency->mean_cycles);
    EXPECT_LE(latency->mean_cycles, static_cast<double>(latency->most_cycles));
  }
  const std::int64_t most_versions = 2 * (result.processors_used - 1) + 1;  // of the first stage
  for (const LayerResult& layer : result.layers) {
    EXPECT_GE(layer.weight_versions, 1) << layer.name;
    EXPECT_LE(layer.weight_versions, most_versions) << layer.name;
    EXPECT_GE(layer.activation_versions, 1) << layer.name;
    EXPECT_LE(layer.activation_versions, most_versions) << layer.name;
  }
  std::int64_t channel_bytes = 0;
  for (const ChannelResult& channel : result.channels) {
    EXPECT_LE(channel.busy_fraction, 1.0 + 1e-12);
    channel_bytes += channel.bytes_per_minibatch;
  }
  const Communication& sent = result.communication_per_minibatch;
  EXPECT_EQ(channel_bytes,
            sent.mandatory_bytes + sent.additional_weights_bytes + sent.additional_gradients_bytes);
  for (const LinkResult& link : result.links) EXPECT_LE(link.busy_fraction.value(), 1.0 + 1e-9);
}

TEST(Run, EveryCycleAndEveryByteIsAccountedFor) {
  for (const char* platform : {"three-32x32", "three-32x32-chain", "eight-32x32"}) {
    for (const char* workload : {"sample4", "vgg16", "alexnet", "mlp"}) {
      for (const char* schedule : {"pipedream", "layerpipe"}) {
        expect_consistent(simulated(platform, workload, schedule, 60));
      }
    }
  }
}

TEST(Run, GraphsAreAccountedForToo) {
  for (const char* workload : {"resnet18", "mobilenet_v2", "unet"}) {
    for (const char* schedule : {"pipedream", "layerpipe", "layerpipe-optimal"}) {
      expect_consistent(simulated("eight-32x32", workload, schedule, 60));
    }
  }
}

/// On AlexNet one processor is 0.7 % slower than the one that sets the rhythm, and lives on the
/// minibatches in flight for the whole of a short run: what that shows is below its cycles, and
/// says nothing about how far.
TEST(Run, AMeanIsReportedAsItIs) {
  const Result result = simulated("eight-32x32", "alexnet", "layerpipe", 200);
  EXPECT_FALSE(result.steady_state.exact);
  EXPECT_LT(result.steady_state.period_cycles,
            static_cast<double>(result.bounds.slowest_processor_cycles));
  EXPECT_FALSE(result.steady_state.relative_error_bound);
  EXPECT_EQ(result.steady_state.outcome, "limit");
}

TEST(Run, ShortRunsAreConsistentToo) {
  for (const std::int64_t iterations : {1, 2, 3, 5}) {
    for (const char* schedule : {"pipedream", "layerpipe"}) {
      expect_consistent(simulated("eight-32x32", "vgg16", schedule, iterations));
    }
  }
}

/// Here actors wake each other at dates at which several flows on shared links end; one that is
/// forgotten would bring the run to a stop.
TEST(Run, ForgetsNobodyWhereManyFlowsEnd) {
  for (const std::int64_t iterations : {3, 4, 5}) {
    expect_consistent(simulated("eight-256x256", "unet", "layerpipe", iterations));
  }
}

/// Reference figures R4: 43434336 and 32007170 cycles; the machine's links are wide enough.
/// Additional communication there: 143 MB of gradients beside 95 KB of weights a minibatch.
TEST(Run, SampleNetworkOnTheShippedMachine) {
  const Result pipedream = simulated("three-32x32", "sample4", "pipedream", 200);
  EXPECT_TRUE(pipedream.steady_state.exact);
  EXPECT_EQ(pipedream.steady_state.period_cycles, 43434336.0);
  EXPECT_EQ(pipedream.communication_per_minibatch.additional_gradients_bytes, 0);
  const Result layerpipe = simulated("three-32x32", "sample4", "layerpipe", 200);
  EXPECT_TRUE(layerpipe.steady_state.exact);
  EXPECT_EQ(layerpipe.steady_state.period_cycles, 32007170.0);
  EXPECT_DOUBLE_EQ(layerpipe.steady_state.period_seconds, 0.03200717);
  const Communication& sent = layerpipe.communication_per_minibatch;
  // Boundaries behind layers 2 and 3: each sends its activations forward and as many bytes back.
  EXPECT_EQ(sent.mandatory_bytes, 2 * 32 * 4 * (112 * 112 * 48 + 56 * 56 * 64));
  EXPECT_NEAR(static_cast<double>(sent.additional_weights_bytes), 95e3, 500.0);
  EXPECT_NEAR(static_cast<double>(sent.additional_gradients_bytes), 143e6, 500e3);
}

/// Measured from traces of these runs: from the first start to the last end of a minibatch's
/// operations, in the steady state.
TEST(Run, LatenciesOfTheSampleNetwork) {
  const Latency pipedream =
      simulated("three-32x32", "sample4", "pipedream", 200).steady_state.latency.value();
  EXPECT_NEAR(pipedream.mean_cycles, 130.3e6, 0.05e6);
  const Latency layerpipe =
      simulated("three-32x32", "sample4", "layerpipe", 200).steady_state.latency.value();
  EXPECT_NEAR(layerpipe.mean_cycles, 158.1e6, 0.05e6);
}

TEST(Run, RunsThatEndWhenSteadyAreAccountedForToo) {
  for (const char* schedule : {"pipedream", "layerpipe"}) {
    const Result result = simulated("three-32x32", "sample4", schedule, 200, true);
    EXPECT_LT(result.iterations, 200);
    expect_consistent(result);
  }
}

TEST(Run, TheSameInputGivesTheSameOutput) {
  const auto text = [] {
    return to_json(simulated("eight-32x32", "vgg16", "layerpipe", 40)).dump();
  };
  EXPECT_EQ(text(), text());
}

}  // namespace
}  // namespace layerpipe::run
