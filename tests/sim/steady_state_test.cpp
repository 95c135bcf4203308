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

void execute(SteadyStateDetector& detector, scheduler::OpId op, std::int64_t minibatch,
             std::int64_t start, std::int64_t end) {
  detector.record({EventKind::operation_started, start, op, minibatch});
  detector.record({EventKind::operation_ended, end, op, minibatch});
}

/// The period found when minibatch m ends at ends[m] and the last forward pass at `drain_date`.
Period period_of(const std::vector<std::int64_t>& ends, std::int64_t drain_date) {
  const scheduler::Schedule schedule = one_layer();
  SteadyStateDetector detector(schedule, static_cast<std::int64_t>(ends.size()));
  for (std::size_t m = 0; m < ends.size(); ++m) {
    const auto minibatch = static_cast<std::int64_t>(m);
    execute(detector, 0, minibatch, drain_date, drain_date);
    execute(detector, 1, minibatch, ends[m] - 1, ends[m]);
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
  SteadyStateDetector detector(schedule, 5);
  execute(detector, 0, 0, 0, never);
  execute(detector, 1, 0, 9, 10);  // this update is always a minibatch ahead
  for (std::int64_t m = 0; m < 4; ++m) {
    execute(detector, 1, m + 1, 90 + 30 * m, 91 + 30 * m);
    execute(detector, 0, m + 1, 92 + 30 * m, never);
    execute(detector, 2, m, 99 + 30 * m, 100 + 30 * m);
  }
  EXPECT_EQ(detector.period().cycles_per_minibatch, 30.0);
  EXPECT_TRUE(detector.period().exact);
}

/// Minibatches end every 10 cycles while the other operation gets ahead by one more every time:
/// whatever bounds that, it cannot go on for ever.
TEST(SteadyState, ARhythmWhileWorkPilesUpIsNotSteady) {
  const scheduler::Schedule schedule = one_layer();
  SteadyStateDetector detector(schedule, 20);
  std::int64_t ahead = 0;
  for (std::int64_t m = 0; m < 20; ++m) {
    execute(detector, 0, ahead++, 10 * m, never);
    execute(detector, 0, ahead++, 10 * m, never);
    execute(detector, 1, m, 10 * m + 9, 10 * m + 10);
  }
  EXPECT_FALSE(detector.period().exact);
  EXPECT_EQ(detector.period().cycles_per_minibatch, 10.0);
}

}  // namespace
}  // namespace layerpipe::sim
