#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "scheduler/discipline/gpipe.hpp"
#include "scheduler/discipline/lower.hpp"
#include "scheduler/discipline/pipedream_2bw.hpp"
#include "scheduler/discipline/zero_bubble.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/metrics/in_flight.hpp"
#include "sim/metrics/live_versions.hpp"
#include "sim/metrics/replay.hpp"
#include "tests/support/test_profile.hpp"

// Two layers on two processors: 1 + 4 and 10 + 20 cycles forward and backward, transfers without
// time.
namespace layerpipe::metrics {
namespace {

using contract::Schedule;
using discipline::Pipeline;
using testing::ElementsAre;
using Counts = std::vector<std::int64_t>;

costs::Profile two_layers() { return tests::test_profile({{1, 0, 4}, {10, 15, 5}}); }

Pipeline pipeline(discipline::Program (*program)(const discipline::PipelineShape&),
                  std::size_t micro_batches, std::int64_t staleness = 0) {
  return {.name = "test",
          .stages = {{0, 0, 0}, {1, 1, 1}},
          .processors = 2,
          .micro_batches = micro_batches,
          .staleness = {staleness, staleness},
          .program = program({2, micro_batches})};
}

template <class Sink>
Sink after_run(const Schedule& schedule, std::int64_t minibatches) {
  Sink sink(schedule);
  replay(theory::timetable(schedule, minibatches, [](contract::TensorId) { return 0; }), sink);
  return sink;
}

Counts until_input_gradient(const InFlight& counts) {
  return {counts.peak(0).until_input_gradient, counts.peak(1).until_input_gradient};
}

Counts until_weight_gradient(const InFlight& counts) {
  return {counts.peak(0).until_weight_gradient, counts.peak(1).until_weight_gradient};
}

/// In every minibatch anew.
TEST(InFlight, CountsMicroBatches) {
  const Schedule schedule = lower_whole(two_layers(), pipeline(discipline::gpipe, 4));
  const auto counts = after_run<InFlight>(schedule, 3);
  EXPECT_THAT(until_input_gradient(counts), ElementsAre(4, 4));
  EXPECT_THAT(until_weight_gradient(counts), ElementsAre(4, 4));
}

/// B(0) B(1) W(0) B(2) W(1) W(2) on the second: one is in flight until B, two until W. The first
/// has no input gradient.
TEST(InFlight, EndsWithInputOrWithWeightGradients) {
  placement::Allocation allocation;
  allocation.layers = {{0, {}}, {1, {}}};
  const Schedule schedule =
      lower_split(two_layers(), pipeline(discipline::zb_h1, 3), std::move(allocation));
  const auto counts = after_run<InFlight>(schedule, 2);
  EXPECT_THAT(until_input_gradient(counts), ElementsAre(2, 1));
  EXPECT_THAT(until_weight_gradient(counts), ElementsAre(2, 2));
}

/// The first layer's outputs are there after 1, 2, 3 and 4 cycles; from the first on the second
/// layer is busy for ten: three wait.
TEST(LiveVersions, QueuedInputsAreOfAllMicroBatches) {
  const Schedule schedule = lower_whole(two_layers(), pipeline(discipline::gpipe, 4));
  const auto versions = after_run<LiveVersions>(schedule, 3);
  EXPECT_EQ(versions.most(0).queued, 0);
  EXPECT_EQ(versions.most(1).queued, 3);
}

/// A minibatch is there from its first micro-batch to its last: flushed, one at a time.
TEST(LiveVersions, ActivationsAreOfMinibatches) {
  const Schedule flushed = lower_whole(two_layers(), pipeline(discipline::gpipe, 4));
  const auto one = after_run<LiveVersions>(flushed, 3);
  EXPECT_EQ(one.most(0).activations, 1);
  EXPECT_EQ(one.most(1).activations, 1);
  EXPECT_EQ(one.most(0).weights, 1);
}

/// The first stage begins the next minibatch before it ends one: F(0)' BW(1) F(1)' BW(0)'.
TEST(LiveVersions, MinibatchesOverlapWithoutAFlush) {
  const Schedule schedule = lower_whole(two_layers(), pipeline(discipline::pipedream_2bw, 2, 1));
  const auto versions = after_run<LiveVersions>(schedule, 4);
  EXPECT_EQ(versions.most(0).activations, 2);
  EXPECT_EQ(versions.most(1).activations, 1);
  EXPECT_EQ(versions.most(0).weights, 2);
  EXPECT_EQ(versions.most(1).weights, 2);
}

}  // namespace
}  // namespace layerpipe::metrics
