#include "sim/metrics/live_versions.hpp"

#include <gtest/gtest.h>

#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "tests/support/test_profile.hpp"

namespace layerpipe::metrics {
namespace {

using namespace events;

using contract::OpId;

/// Two layers on two processors, nothing lent: M = 2, 0. Operations FP1 0, G1 1, FP2 2, delta2 3,
/// G2 4.
contract::Schedule two_stages() {
  return discipline::layerpipe_schedule(
      "layerpipe", tests::test_profile({{1, 0, 1, 1, 1}, {1, 1, 1, 1, 1}}), {{{0}, {1}}}, 2);
}

/// Each at a date of its own.
class Events {
 public:
  explicit Events(LiveVersions& versions) : versions_(versions) {}

  void record(EventKind kind, std::size_t id) { versions_.record({kind, date_++, id, 0}); }
  void execute(OpId op) {
    record(EventKind::operation_started, op);
    record(EventKind::operation_ended, op);
  }

 private:
  LiveVersions& versions_;
  std::int64_t date_ = 0;
};

TEST(LiveVersions, AnInputIsKeptFromForwardPassToWeightGradient) {
  const contract::Schedule schedule = two_stages();
  LiveVersions versions(schedule);
  Events run(versions);
  EXPECT_EQ(versions.most(0).activations, 0);
  run.execute(0);
  run.execute(0);
  EXPECT_EQ(versions.most(0).activations, 2);
  run.execute(1);
  run.execute(0);
  EXPECT_EQ(versions.most(0).activations, 2);
  run.record(EventKind::operation_started, 0);
  EXPECT_EQ(versions.most(0).activations, 3);
}

/// Minibatches 0, 1 and 2 use the initial weights, 3 those after the update of 0. When 0 has been
/// updated, 1 still needs the initial ones, beside the new; after the update of 1, 2 does; after
/// that of 2, minibatch 3 needs version 1 of 1, 2 and 3.
TEST(LiveVersions, WeightsAreKeptForThoseThatUseThem) {
  const contract::Schedule schedule = two_stages();
  LiveVersions versions(schedule);
  Events run(versions);
  for (const std::int64_t expected : {2, 3, 3, 3, 3}) {
    run.execute(0);
    run.execute(1);
    EXPECT_EQ(versions.most(0).weights, expected);
  }
}

/// M = 0: the next minibatch uses the newest weights.
TEST(LiveVersions, TheLastStageKeepsOneVersion) {
  const contract::Schedule schedule = two_stages();
  LiveVersions versions(schedule);
  Events run(versions);
  for (int minibatch = 0; minibatch < 3; ++minibatch) {
    for (const OpId op : {2U, 3U, 4U}) run.execute(op);
  }
  EXPECT_EQ(versions.most(1).weights, 1);
  EXPECT_EQ(versions.most(1).activations, 1);
}

/// Tensor 0 is a(1), for layer 2. A layer that takes the network's input has all of that at once.
TEST(LiveVersions, InputsAreQueuedUntilTheForwardPassStarts) {
  const contract::Schedule schedule = two_stages();
  LiveVersions versions(schedule);
  Events run(versions);
  for (int minibatch = 0; minibatch < 3; ++minibatch) {
    run.execute(0);
    run.record(EventKind::transfer_ended, 0);
    if (minibatch == 1) run.execute(2);
  }
  EXPECT_EQ(versions.most(0).queued, 0);
  EXPECT_EQ(versions.most(1).queued, 2);
}

/// At one date, the second a(1) arrives and FP2 starts: one waits, whichever comes first.
TEST(LiveVersions, TheOrderOfEventsOfOneDateIsWithoutEffect) {
  const contract::Schedule schedule = two_stages();
  LiveVersions versions(schedule);
  versions.record({EventKind::transfer_ended, 5, 0, 0});
  versions.record({EventKind::transfer_ended, 9, 0, 1});
  versions.record({EventKind::operation_started, 9, 2, 0});
  versions.record({EventKind::operation_started, 12, 2, 1});
  EXPECT_EQ(versions.most(1).queued, 1);
}

}  // namespace
}  // namespace layerpipe::metrics
