#include "sim/metrics/pace.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace layerpipe::metrics {
namespace {

contract::Schedule two_operations() {
  contract::Schedule schedule;
  schedule.ops.resize(2);
  return schedule;
}

/// The pace of a run in which operations and minibatch m end at these dates.
std::optional<Pace> pace(std::int64_t minibatches,
                         const std::function<double(std::int64_t)>& first_operation,
                         const std::function<double(std::int64_t)>& second_operation,
                         double least_cycles = 0.0) {
  PaceEstimator estimator(two_operations(), least_cycles);
  for (std::int64_t m = 0; m < minibatches; ++m) {
    estimator.operation_ended(0, std::llround(first_operation(m)));
    estimator.operation_ended(1, std::llround(second_operation(m)));
    estimator.minibatch_ended(std::llround(second_operation(m)));
  }
  return estimator.pace();
}

double every(double cycles, std::int64_t minibatch) {
  return cycles * static_cast<double>(minibatch);
}

TEST(Pace, ARegularRunHasNoError) {
  const auto regular = [](std::int64_t m) { return every(1000, m); };
  const auto found = pace(2048, regular, regular);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cycles_per_minibatch, 1000.0);
  EXPECT_EQ(found->relative_error_bound, 0.0);
  EXPECT_EQ(found->first_minibatch, 1024);
  EXPECT_EQ(found->minibatches, 1024);
}

TEST(Pace, WhatIsInFrontOfTheSecondHalfDoesNotCount) {
  const auto late = [](std::int64_t m) { return every(m < 900 ? 2000 : 1000, m) + 1e7; };
  EXPECT_EQ(pace(2048, late, late)->cycles_per_minibatch, 1000.0);
}

TEST(Pace, AShortRunHasNone) {
  const auto regular = [](std::int64_t m) { return every(1000, m); };
  EXPECT_FALSE(pace(31, regular, regular));
  EXPECT_TRUE(pace(32, regular, regular));
  EXPECT_FALSE(pace(PaceEstimator::fewest_minibatches - 1, regular, regular)->relative_error_bound);
  EXPECT_TRUE(pace(1024, regular, regular)->relative_error_bound);
}

// One end in two is half a period late: within batches that is the same everywhere.
TEST(Pace, ARhythmIsNoError) {
  const auto limping = [](std::int64_t m) { return every(1000, m) + (m % 2 == 0 ? 500.0 : 0.0); };
  const auto found = pace(2048, limping, limping);
  EXPECT_DOUBLE_EQ(found->cycles_per_minibatch, 1000.0);
  EXPECT_LT(found->relative_error_bound.value(), 1e-9);
}

/// An operation that gets ahead by 0.1 % has 0.1 % to lose.
TEST(Pace, AnOperationThatGetsAheadIsAnError) {
  const auto slow = [](std::int64_t m) { return every(1000, m); };
  const auto ahead = [](std::int64_t m) { return every(999, m); };
  EXPECT_NEAR(pace(2048, ahead, slow)->relative_error_bound.value(), 0.001, 1e-6);
  const auto far_ahead = [](std::int64_t m) { return every(980, m); };
  EXPECT_FALSE(pace(2048, far_ahead, slow)->relative_error_bound);
}

TEST(Pace, TheStaticBoundIsWithinTheError) {
  const auto regular = [](std::int64_t m) { return every(1000, m); };
  EXPECT_NEAR(pace(2048, regular, regular, 1001.5)->relative_error_bound.value(), 0.0015, 1e-12);
  EXPECT_EQ(pace(2048, regular, regular, 995)->relative_error_bound, 0.0);
}

/// The pace changes by 0.4 % every 512 minibatches: batches of 64 are equal to their neighbours
/// most of the time, which a mean over independent ones would take for certainty.
TEST(Pace, CorrelatedBatchesWidenTheError) {
  const auto wandering = [](std::int64_t m) {
    const std::int64_t phase = m % 1024;
    return every(1000, m) + 4.0 * static_cast<double>(std::min<std::int64_t>(phase, 1024 - phase));
  };
  const auto found = pace(4096, wandering, wandering);
  EXPECT_GT(found->relative_error_bound.value_or(1.0), 0.004);
}

}  // namespace
}  // namespace layerpipe::metrics
