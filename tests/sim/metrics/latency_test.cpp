#include "sim/metrics/latency.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tests/support/one_layer_schedule.hpp"

namespace layerpipe::metrics {
namespace {

using namespace events;

/// Minibatches one after the other, of these latencies; between two there are 10 cycles.
class ToldRun {
 public:
  explicit ToldRun(std::int64_t minibatches)
      : steady_(schedule_, minibatches), account_(schedule_, minibatches, steady_) {}

  void minibatch(std::int64_t cycles) {
    record({EventKind::operation_started, date_, 0, minibatch_});
    record({EventKind::operation_ended, date_ + 1, 0, minibatch_});
    record({EventKind::operation_started, date_ + 1, 1, minibatch_});
    date_ += cycles;
    record({EventKind::operation_ended, date_, 1, minibatch_});
    date_ += 10;
    for (EventSink* sink : sinks()) sink->date_over(date_, [] { return std::vector<double>(); });
    ++minibatch_;
  }

  [[nodiscard]] std::optional<Latency> latency() const {
    return account_.latency(steady_.period());
  }
  [[nodiscard]] const SteadyStateDetector& steady() const { return steady_; }

 private:
  std::vector<EventSink*> sinks() { return {&steady_, &account_}; }
  void record(const Event& event) {
    for (EventSink* sink : sinks()) sink->record(event);
  }

  contract::Schedule schedule_ = tests::one_layer_schedule();
  SteadyStateDetector steady_;
  LatencyAccount account_;
  std::int64_t date_ = 0;
  std::int64_t minibatch_ = 0;
};

void expect(const std::optional<Latency>& latency, double mean, std::int64_t least,
            std::int64_t most) {
  ASSERT_TRUE(latency);
  EXPECT_DOUBLE_EQ(latency->mean_cycles, mean);
  EXPECT_EQ(latency->least_cycles, least);
  EXPECT_EQ(latency->most_cycles, most);
}

// This schedule's state at an end is always the same: one minibatch is the rhythm.
TEST(Latency, OfTheMinibatchesOfAnExactPeriod) {
  ToldRun run(1'000'000);
  run.minibatch(50);
  run.minibatch(70);
  ASSERT_TRUE(run.steady().period().exact);
  expect(run.latency(), 70.0, 70, 70);
  run.minibatch(90);
  expect(run.latency(), 70.0, 70, 70);
}

// It drains from its start on, so that nothing is exact.
TEST(Latency, OfTheMiddleHalfOfAShortRun) {
  ToldRun run(1);
  run.minibatch(42);
  expect(run.latency(), 42.0, 42, 42);
}

/// Two forward passes run ahead: a minibatch is in flight while the one before it ends.
TEST(Latency, OfMinibatchesThatOverlap) {
  contract::Schedule schedule = tests::one_layer_schedule();
  const SteadyStateDetector steady(schedule, 4);
  LatencyAccount account(schedule, 4, steady);
  // FP of minibatch m starts at 10 m, its update ends at 100 + 20 m: latencies 100 + 10 m.
  std::vector<Event> events;
  for (std::int64_t m = 0; m < 4; ++m) {
    events.push_back({EventKind::operation_started, 10 * m, 0, m});
  }
  for (std::int64_t m = 0; m < 4; ++m) {
    events.push_back({EventKind::operation_ended, 100 + 20 * m, 1, m});
  }
  for (const Event& event : events) account.record(event);
  Period middle_half;
  middle_half.first_minibatch = 1;
  middle_half.mean_over = 2;
  expect(account.latency(middle_half), 115.0, 110, 120);
}

/// Batches of a mean: 64 minibatches and more become batches of 2, 4 and so on.
TEST(Latency, OfTheMinibatchesOfAMean) {
  contract::Schedule schedule = tests::one_layer_schedule();
  const SteadyStateDetector steady(schedule, 1000);
  LatencyAccount account(schedule, 1000, steady);
  for (std::int64_t m = 0; m < 200; ++m) {
    account.record({EventKind::operation_started, 1000 * m, 0, m});
    account.record({EventKind::operation_ended, 1000 * m + m, 1, m});
  }
  Period mean;
  mean.first_minibatch = 96;
  mean.mean_over = 32;
  expect(account.latency(mean), 111.5, 96, 127);
}

/// Of `latency(m)` for each of 200 minibatches, whose mean period is over their middle half.
template <typename Function>
std::optional<LatencyGrowth> growth_of_middle_half(Function latency) {
  const contract::Schedule schedule = tests::one_layer_schedule();
  const SteadyStateDetector steady(schedule, 200);
  LatencyAccount account(schedule, 200, steady);
  for (std::int64_t m = 0; m < 200; ++m) {
    account.record({EventKind::operation_started, 1000 * m, 0, m});
    account.record({EventKind::operation_ended, 1000 * m + latency(m), 1, m});
  }
  Period middle_half;
  middle_half.first_minibatch = 50;
  middle_half.mean_over = 100;
  EXPECT_NE(account.growth(middle_half).has_value(), account.latency(middle_half).has_value());
  return account.growth(middle_half);
}

// Minibatches 50 to 149 in batches of 2; 3 of these are a part, of which there are 16: 50 to 55 are
// the first, 140 to 145 the last.
TEST(Latency, GrowsWhereEachPartHasMoreThanTheOneBefore) {
  const auto growth = growth_of_middle_half([](std::int64_t m) { return 10 + 2 * m; });
  ASSERT_TRUE(growth);
  EXPECT_DOUBLE_EQ(growth->from_cycles, 10 + 2 * 52.5);
  EXPECT_DOUBLE_EQ(growth->to_cycles, 10 + 2 * 142.5);
}

TEST(Latency, DoesNotGrowWhereItIsBounded) {
  EXPECT_FALSE(growth_of_middle_half([](std::int64_t) { return 500; }));
  EXPECT_FALSE(growth_of_middle_half([](std::int64_t m) { return 500 + m % 7; }));
  EXPECT_FALSE(growth_of_middle_half([](std::int64_t m) { return 900 - 2 * m; }));
  // By less than 1 % in all.
  EXPECT_FALSE(growth_of_middle_half([](std::int64_t m) { return 100'000 + 2 * m; }));
  // Its steps become smaller.
  EXPECT_FALSE(growth_of_middle_half([](std::int64_t m) { return 900 - 40'000 / (m + 1); }));
}

}  // namespace
}  // namespace layerpipe::metrics
