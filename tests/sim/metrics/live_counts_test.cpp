#include "sim/metrics/live_counts.hpp"

#include <gtest/gtest.h>

namespace layerpipe::metrics {
namespace {

using namespace events;

using memory::Lifetime;
using memory::Moment;
using memory::Step;
using memory::StepKind;

constexpr Step end_of(std::size_t op, std::int64_t lag = 0) {
  return {StepKind::operation_ended, op, lag};
}

contract::Schedule three_operations() {
  contract::Schedule schedule;
  schedule.ops.resize(3);
  schedule.tensors.resize(1);
  return schedule;
}

void end(LiveCounts& counts, std::size_t op, std::int64_t date) {
  counts.record({EventKind::operation_ended, date, op});
}

TEST(LiveCounts, WaitsForAllStepsOrForTheFirst) {
  const Moment never;
  LiveCounts counts(
      three_operations(),
      {{{{end_of(0), end_of(1)}}, never}, {{{end_of(0), end_of(1)}, true}, never}, {never, never}});
  end(counts, 0, 1);
  EXPECT_EQ(counts.count(0), 0);
  EXPECT_EQ(counts.count(1), 1);
  end(counts, 1, 2);
  EXPECT_EQ(counts.count(0), 1);
  EXPECT_EQ(counts.count(1), 1);
  EXPECT_EQ(counts.count(2), 0);
}

/// Instance 0 is there from the start, instance k from the end of minibatch k - 1; minibatch k + 2
/// lets it go.
TEST(LiveCounts, StepsMayBeOfOtherMinibatches) {
  LiveCounts counts(three_operations(), {{{{end_of(0, -1)}}, {{end_of(1, 2)}}}});
  EXPECT_EQ(counts.count(0), 1);
  end(counts, 1, 1);
  end(counts, 1, 2);
  EXPECT_EQ(counts.count(0), 1);
  end(counts, 1, 3);
  EXPECT_EQ(counts.count(0), 0);
  end(counts, 0, 4);
  EXPECT_EQ(counts.count(0), 1);
}

TEST(LiveCounts, WhatIsLetGoBeforeItIsThereIsNeverThere) {
  LiveCounts counts(three_operations(), {{{{end_of(0)}}, {{end_of(1)}}}});
  end(counts, 1, 1);
  end(counts, 0, 2);
  EXPECT_EQ(counts.most(0), 0);
}

TEST(LiveCounts, TheMostIsOfWhatIsLeftAtADate) {
  LiveCounts counts(three_operations(), {{{{end_of(0)}}, {{end_of(1)}}}});
  end(counts, 0, 1);
  end(counts, 0, 2);
  EXPECT_EQ(counts.count(0), 2);
  end(counts, 1, 2);
  EXPECT_EQ(counts.count(0), 1);
  EXPECT_EQ(counts.most(0), 1);
  end(counts, 0, 3);
  EXPECT_EQ(counts.most(0), 2);
  end(counts, 1, 4);
  EXPECT_EQ(counts.most(0), 2);
}

TEST(LiveCounts, TellsWhatAnEventHasChanged) {
  LiveCounts counts(three_operations(), {{{{end_of(0)}}, {{end_of(2)}}},
                                         {{{end_of(1)}}, {{end_of(0)}}},
                                         {{{{StepKind::tensor_arrived, 0}}}, {{end_of(2)}}}});
  end(counts, 1, 1);
  end(counts, 0, 1);
  ASSERT_EQ(counts.changes().size(), 2U);
  EXPECT_EQ(counts.changes()[0].lifetime, 0U);
  EXPECT_EQ(counts.changes()[0].more, 1);
  EXPECT_EQ(counts.changes()[1].lifetime, 1U);
  EXPECT_EQ(counts.changes()[1].more, -1);
  counts.record({EventKind::transfer_started, 2, 0});
  EXPECT_TRUE(counts.changes().empty());
  counts.record({EventKind::sum_completed, 2, 0});
  ASSERT_EQ(counts.changes().size(), 1U);
  EXPECT_EQ(counts.changes()[0].lifetime, 2U);
}

}  // namespace
}  // namespace layerpipe::metrics
