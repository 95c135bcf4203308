#include "sim/metrics/minibatch_ends.hpp"

#include <gtest/gtest.h>

#include "sim/channel.hpp"
#include "sim/metrics/middle_half_use.hpp"

namespace layerpipe::sim {
namespace {

/// Operations 0 and 1 on processors 0 and 1; both are updates.
scheduler::Schedule two_updates() {
  scheduler::Schedule schedule;
  for (const std::size_t p : {0U, 1U}) {
    schedule.ops.push_back({{{scheduler::OpKind::weight_gradient, p, 1.0, 1}}, p});
  }
  schedule.orders.resize(2);
  schedule.updates = {0, 1};
  return schedule;
}

Event ended(std::int64_t date, std::size_t op) { return {EventKind::operation_ended, date, op, 0}; }

Event started(std::int64_t date, std::size_t op) {
  return {EventKind::operation_started, date, op, 0};
}

TEST(MinibatchEnds, EndsWithTheLastUpdate) {
  MinibatchEnds minibatches(two_updates());
  EXPECT_FALSE(minibatches.record(ended(1, 0)));
  EXPECT_FALSE(minibatches.record(ended(2, 0)));  // a minibatch ahead
  EXPECT_TRUE(minibatches.record(ended(3, 1)));
  EXPECT_EQ(minibatches.ended(), 1);
  EXPECT_TRUE(minibatches.record(ended(4, 1)));
  EXPECT_EQ(minibatches.ended(), 2);
  EXPECT_FALSE(minibatches.record(started(5, 1)));
}

TEST(MiddleHalf, IsHalfOfTheMinibatchesAndNeverEmpty) {
  EXPECT_EQ(middle_half(200).begin, 50);
  EXPECT_EQ(middle_half(200).end, 150);
  EXPECT_EQ(middle_half(1).begin, 0);
  EXPECT_EQ(middle_half(1).end, 1);
  EXPECT_EQ(middle_half(3).end, 2);
}

/// Four minibatches: the middle half is 1 and 2, from the end of minibatch 0 (date 10) to that of
/// minibatch 2 (date 40). Processor 1 runs 5-10, 15-20, 35-40, 45-50: 10 of these 30 cycles.
/// Processor 0 runs 0-9, 18-30, 32-39, 40-44: 12 + 7 cycles.
TEST(MiddleHalfUse, CountsOnlyWhatLiesInTheMiddle) {
  const scheduler::Schedule schedule = two_updates();
  MiddleHalfUse use(schedule, Channels{}, 4);
  for (const Event& event :
       {started(0, 0), started(5, 1), ended(9, 0), ended(10, 1), started(15, 1), started(18, 0),
        ended(20, 1), ended(30, 0), started(32, 0), started(35, 1), ended(39, 0), ended(40, 1),
        started(40, 0), ended(44, 0), started(45, 1), ended(50, 1)}) {
    use.record(event);
  }
  EXPECT_DOUBLE_EQ(use.processor(1), 10.0 / 30.0);
  EXPECT_DOUBLE_EQ(use.processor(0), 19.0 / 30.0);
}

/// An operation from 5 to 45 covers the whole of the middle half, 10 to 40.
TEST(MiddleHalfUse, CutsWhatReachesBeyondTheMiddle) {
  scheduler::Schedule schedule = two_updates();
  schedule.ops.push_back({{{scheduler::OpKind::forward, 0, 1.0, 40}}, 0});
  schedule.ops[0].processor = 1;
  MiddleHalfUse use(schedule, Channels{}, 4);
  use.record(started(5, 2));
  for (const std::int64_t date : {10, 20, 40}) {
    use.record(started(date, 0));
    use.record(ended(date, 0));
    use.record(started(date, 1));
    use.record(ended(date, 1));
  }
  use.record(ended(45, 2));
  EXPECT_DOUBLE_EQ(use.processor(0), 1.0);
  EXPECT_DOUBLE_EQ(use.processor(1), 0.0);
}

}  // namespace
}  // namespace layerpipe::sim
