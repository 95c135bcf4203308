#include "sim/metrics/live_versions.hpp"

#include <gtest/gtest.h>

#include "scheduler/layerpipe_schedule.hpp"
#include "tests/support/test_profile.hpp"

namespace layerpipe::sim {
namespace {

using scheduler::OpId;

/// Two layers on two processors, nothing lent: M = 2, 0. Operations FP1 0, G1 1, FP2 2, delta2 3,
/// G2 4.
scheduler::Schedule two_stages() {
  return scheduler::layerpipe_schedule("layerpipe",
                                       tests::test_profile({{1, 0, 1, 1, 1}, {1, 1, 1, 1, 1}}),
                                       {{{0, 0.0, 0}, {1, 0.0, 0}}}, 2);
}

void execute(LiveVersions& versions, OpId op) {
  versions.record({EventKind::operation_started, 0, op, 0});
  versions.record({EventKind::operation_ended, 0, op, 0});
}

TEST(LiveVersions, AnInputIsKeptFromForwardPassToWeightGradient) {
  const scheduler::Schedule schedule = two_stages();
  LiveVersions versions(schedule);
  EXPECT_EQ(versions.most(0).activations, 0);
  execute(versions, 0);
  execute(versions, 0);
  EXPECT_EQ(versions.most(0).activations, 2);
  execute(versions, 1);
  execute(versions, 0);
  EXPECT_EQ(versions.most(0).activations, 2);
  versions.record({EventKind::operation_started, 0, 0, 0});
  EXPECT_EQ(versions.most(0).activations, 3);
}

/// Minibatches 0, 1 and 2 use the initial weights, 3 those after the update of 0. When 0 has been
/// updated, 1 still needs the initial ones, beside the new; after the update of 1, 2 does; after
/// that of 2, minibatch 3 needs version 1 of 1, 2 and 3.
TEST(LiveVersions, WeightsAreKeptForThoseThatUseThem) {
  const scheduler::Schedule schedule = two_stages();
  LiveVersions versions(schedule);
  for (const std::int64_t expected : {2, 3, 3, 3, 3}) {
    execute(versions, 0);
    execute(versions, 1);
    EXPECT_EQ(versions.most(0).weights, expected);
  }
}

/// M = 0: the next minibatch uses the newest weights.
TEST(LiveVersions, TheLastStageKeepsOneVersion) {
  const scheduler::Schedule schedule = two_stages();
  LiveVersions versions(schedule);
  for (int minibatch = 0; minibatch < 3; ++minibatch) {
    for (const OpId op : {2U, 3U, 4U}) execute(versions, op);
  }
  EXPECT_EQ(versions.most(1).weights, 1);
  EXPECT_EQ(versions.most(1).activations, 1);
}

}  // namespace
}  // namespace layerpipe::sim
