#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "sim/run/recurrence_period.hpp"
#include "tests/support/simulated_runs.hpp"
#include "tests/support/test_profile.hpp"

/// Periods of LayerPipe's order with delays of other rules, by closed forms. Simulation and
/// recurrence both have to give them.
namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;
using namespace placement;

constexpr std::int64_t bytes_per_cycle = 64;
constexpr std::int64_t minibatches = 200;

/// On links of 64 bytes a cycle and no latency, of which each channel has its own; `stages`
/// processors.
void expect_period(const Profile& profile, const Allocation& allocation, double expected) {
  const Schedule schedule =
      layerpipe_schedule("layerpipe", profile, allocation, allocation.stages());
  const auto run = simulated_runs(latency_free(static_cast<std::int64_t>(allocation.stages()),
                                               machine::Topology::chain),
                                  {schedule}, minibatches)
                       .front();
  EXPECT_TRUE(run.exact);
  EXPECT_NEAR(run.period_cycles, expected, 1e-9 * expected);
  const metrics::Period period = run::recurrence_period(schedule, minibatches, [&](TensorId id) {
    return schedule.tensors[id].bytes / bytes_per_cycle;
  });
  EXPECT_TRUE(period.exact);
  EXPECT_NEAR(period.cycles_per_minibatch, expected, 1e-9 * expected);
}

Allocation layer_per_stage(std::size_t stages, Delays delays) {
  Allocation allocation;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    allocation.layers.push_back({stage});
  }
  allocation.delays = std::move(delays);
  return allocation;
}

/// Reference figures R3's stages, 300 + 400 + 300 cycles each, the first one with its input
/// gradient too; every transfer takes c cycles.
Profile uniform(std::size_t stages, std::int64_t c) {
  Profile profile =
      test_profile(std::vector<LayerCosts>(stages, {300, 400, 300, c * bytes_per_cycle, 0}));
  profile.layers.front().has_input_gradient = true;
  profile.layers.front().input_gradient_cycles = 400;
  return profile;
}

// Reference figures R3, delta and G apart: max(T, (sum FP + sum delta + G(1) + 2 (p-1) c) / (M +
// 1)) with M + 1 = 2 p - 1 for 2 S.
TEST(SimulatedDelays, TwiceTheStagesAfter) {
  for (const std::int64_t p : {2, 3, 5}) {
    for (const std::int64_t c : {0, 300, 900}) {
      SCOPED_TRACE(testing::Message() << p << " stages, transfers of " << c);
      const double loop =
          static_cast<double>(700 * p + 300 + 2 * (p - 1) * c) / static_cast<double>(2 * p - 1);
      const auto stages = static_cast<std::size_t>(p);
      expect_period(uniform(stages, c), layer_per_stage(stages, DelayRule::twice_stages_after),
                    std::max(1000.0, loop));
    }
  }
}

// The same loops with M(l) + 1 = S(l) + 1 delays: that of a layer with k stages after its own is
// ((k + 1) 700 + 300 + 2 k c) / (k + 1), longest for the first layer.
TEST(SimulatedDelays, TheStagesAfter) {
  for (const std::int64_t p : {1, 2, 3, 5}) {
    for (const std::int64_t c : {0, 300, 900}) {
      SCOPED_TRACE(testing::Message() << p << " stages, transfers of " << c);
      const double loop =
          static_cast<double>(700 * p + 300 + 2 * (p - 1) * c) / static_cast<double>(p);
      const auto stages = static_cast<std::size_t>(p);
      expect_period(uniform(stages, c), layer_per_stage(stages, DelayRule::stages_after),
                    std::max(1000.0, loop));
    }
  }
}

/// Synchronous: FP(l) waits for G(l) of the minibatch before. The critical path leads from there
/// through the layers after l and back, and to the end of G(l), for which delta(l) is first
/// executed; of the layer l for which that is longest.
TEST(SimulatedDelays, SynchronousChainTakesItsCriticalPath) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Profile profile = random_profile(1 + seed % 6, seed);
    for (Value& value : profile.values) {
      value.activation_bytes *= bytes_per_cycle;
      value.gradient_bytes = value.activation_bytes;
    }
    std::int64_t longest = 0;
    std::int64_t there_and_back = 0;  // from FP(l) to the end of delta(l)
    for (std::size_t l = profile.layers.size(); l-- > 0;) {
      const LayerProfile& layer = profile.layers[l];
      there_and_back += layer.forward_cycles;
      there_and_back += layer.input_gradient_cycles;
      longest = std::max(longest, there_and_back + layer.weight_gradient_cycles);
      if (l > 0) there_and_back += 2 * profile.values[l - 1].activation_bytes / bytes_per_cycle;
    }
    expect_period(profile,
                  layer_per_stage(profile.layers.size(), Staleness(profile.layers.size(), 0)),
                  static_cast<double>(longest));
  }
}

// Whatever is lacking, one processor executes everything.
TEST(SimulatedDelays, OneProcessorTakesTheTotal) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = random_profile(1 + seed, seed);
    Allocation allocation;
    allocation.layers.resize(profile.layers.size());
    for (const std::int64_t delays : {0, 1, 3}) {
      allocation.delays = Staleness(profile.layers.size(), delays);
      expect_period(profile, allocation, static_cast<double>(total_cycles(profile)));
    }
  }
}

}  // namespace
}  // namespace layerpipe::tests
