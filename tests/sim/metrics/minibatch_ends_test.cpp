#include "sim/metrics/minibatch_ends.hpp"

#include <gtest/gtest.h>

namespace layerpipe::metrics {
namespace {

using namespace events;

/// Operations 0 and 1 on processors 0 and 1; both are updates.
contract::Schedule two_updates() {
  contract::Schedule schedule;
  for (const std::size_t p : {0U, 1U}) {
    schedule.ops.push_back({{{costs::OpKind::weight_gradient, p, 1.0, 1}}, p});
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

}  // namespace
}  // namespace layerpipe::metrics
