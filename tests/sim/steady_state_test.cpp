#include "sim/metrics/steady_state.hpp"

#include <gtest/gtest.h>

namespace layerpipe::sim {
namespace {

/// One layer on one processor: its forward pass is operation 0, its weight gradient, which is the
/// update, operation 1.
scheduler::Schedule one_layer() {
  scheduler::Schedule schedule;
  schedule.ops.push_back({{{scheduler::OpKind::forward, 0, 1.0, 1}}, 0});
  schedule.ops.push_back({{{scheduler::OpKind::weight_gradient, 0, 1.0, 1}}, 0});
  schedule.updates = {1};
  return schedule;
}

/// The period found when minibatch m ends at ends[m] and the last forward pass at `drain_date`.
Period period_of(const std::vector<std::int64_t>& ends, std::int64_t drain_date) {
  const scheduler::Schedule schedule = one_layer();
  SteadyStateDetector detector(schedule, static_cast<std::int64_t>(ends.size()));
  detector.record({EventKind::operation_ended, drain_date, 0, 0});
  for (std::size_t m = 0; m < ends.size(); ++m) {
    detector.record({EventKind::operation_ended, ends[m], 1, static_cast<std::int64_t>(m)});
  }
  return detector.period();
}

std::vector<std::int64_t> ends(std::int64_t first, const std::vector<std::int64_t>& differences,
                               std::size_t count) {
  std::vector<std::int64_t> result{first};
  while (result.size() < count) {
    result.push_back(result.back() + differences[(result.size() - 1) % differences.size()]);
  }
  return result;
}

constexpr std::int64_t never = 1'000'000;

TEST(SteadyState, ConstantRhythm) {
  const Period period = period_of(ends(70, {10}, 20), never);
  EXPECT_TRUE(period.exact);
  EXPECT_EQ(period.cycles_per_minibatch, 10.0);
  EXPECT_EQ(period.minibatches, 1);
  EXPECT_EQ(period.first_minibatch, 0);
}

TEST(SteadyState, SmallestRepeatingPattern) {
  const Period period = period_of(ends(70, {5, 5, 7}, 40), never);
  EXPECT_TRUE(period.exact);
  EXPECT_DOUBLE_EQ(period.cycles_per_minibatch, 17.0 / 3.0);
  EXPECT_EQ(period.minibatches, 3);
}

TEST(SteadyState, APatternIsNotTakenForItsOwnEnd) {
  // The last differences are 5, 5: alone they would look like a period of one.
  const Period period = period_of(ends(0, {7, 5, 5}, 31), never);
  EXPECT_EQ(period.minibatches, 3);
}

TEST(SteadyState, FillIsLeftOut) {
  std::vector<std::int64_t> dates{3, 50, 51, 90};
  for (int m = 0; m < 30; ++m) dates.push_back(dates.back() + 10);
  const Period period = period_of(dates, never);
  EXPECT_TRUE(period.exact);
  EXPECT_EQ(period.cycles_per_minibatch, 10.0);
  EXPECT_EQ(period.first_minibatch, 3);
}

TEST(SteadyState, DrainIsLeftOut) {
  std::vector<std::int64_t> dates = ends(10, {10}, 20);  // until 200
  for (const std::int64_t faster : {4, 3, 2}) dates.push_back(dates.back() + faster);
  EXPECT_EQ(period_of(dates, 200).cycles_per_minibatch, 10.0);
}

TEST(SteadyState, WithoutAPatternTheMeanOfTheMiddleHalf) {
  // Squares never repeat their differences. 16 minibatches: the middle half is 4..11.
  std::vector<std::int64_t> squares;
  for (std::int64_t m = 1; m <= 16; ++m) squares.push_back(m * m);
  const Period period = period_of(squares, never);
  EXPECT_FALSE(period.exact);
  EXPECT_DOUBLE_EQ(period.cycles_per_minibatch, (12.0 * 12.0 - 4.0 * 4.0) / 8.0);
  EXPECT_EQ(period.minibatches, 0);
  EXPECT_EQ(period.first_minibatch, 4);
}

TEST(SteadyState, ASingleMinibatchHasItsOwnLength) {
  const Period period = period_of({42}, 20);
  EXPECT_FALSE(period.exact);
  EXPECT_EQ(period.cycles_per_minibatch, 42.0);
}

TEST(SteadyState, LongRunsKeepOnlyAWindow) {
  const std::size_t count = 3 * SteadyStateDetector::window;
  const Period period = period_of(ends(5, {2, 9}, count), 1'000'000'000);
  EXPECT_TRUE(period.exact);
  EXPECT_DOUBLE_EQ(period.cycles_per_minibatch, 5.5);
  EXPECT_EQ(period.first_minibatch, static_cast<std::int64_t>(count - SteadyStateDetector::window));
}

TEST(SteadyState, AMinibatchEndsWithItsLastUpdate) {
  scheduler::Schedule schedule = one_layer();
  schedule.ops.push_back({{{scheduler::OpKind::weight_gradient, 1, 1.0, 1}}, 0});
  schedule.updates = {1, 2};
  SteadyStateDetector detector(schedule, 4);
  detector.record({EventKind::operation_ended, never, 0, 3});
  for (std::int64_t m = 0; m < 4; ++m) {  // one update runs ahead by a minibatch and more
    detector.record({EventKind::operation_ended, 10 * m, 1, m});
  }
  for (std::int64_t m = 0; m < 4; ++m) {
    detector.record({EventKind::operation_ended, 100 + 30 * m, 2, m});
  }
  EXPECT_EQ(detector.period().cycles_per_minibatch, 30.0);
}

}  // namespace
}  // namespace layerpipe::sim
