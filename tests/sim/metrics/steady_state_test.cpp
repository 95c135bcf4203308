#include "sim/metrics/steady_state.hpp"

#include <gtest/gtest.h>

#include "tests/support/one_layer_schedule.hpp"

namespace layerpipe::metrics {
namespace {

using namespace events;

/// A minibatch that ends `cycles` after the one before. What distinguishes the state there from
/// others is that the next forward pass has been executed for `age` cycles, less than `cycles`.
struct Beat {
  std::int64_t cycles = 0;
  std::int64_t age = 0;
};

/// Tells a detector a run.
class ToldRun {
 public:
  explicit ToldRun(std::int64_t minibatches,
                   contract::Schedule schedule = tests::one_layer_schedule(),
                   const SteadyStateOptions& options = {})
      : schedule_(std::move(schedule)), detector_(schedule_, minibatches, options) {}

  [[nodiscard]] SteadyStateDetector& detector() { return detector_; }

  void start(contract::OpId op, std::int64_t date) {
    detector_.record({EventKind::operation_started, date, op, 0});
  }
  void end(contract::OpId op, std::int64_t date) {
    detector_.record({EventKind::operation_ended, date, op, 0});
  }
  void over(std::int64_t next, const std::vector<double>& flows = {}) {
    detector_.date_over(next, [&] { return flows; });
  }

  void beat(const Beat& beat, const std::vector<double>& flows = {}) {
    date_ += beat.cycles;
    start(1, date_ - beat.cycles);
    start(0, date_ - beat.age);
    end(1, date_);
    over(date_ + 1, flows);
    end(0, date_ + 1);
  }

  /// Minibatches end with these beats, over and over.
  void beats(const std::vector<Beat>& pattern, std::size_t minibatches) {
    for (std::size_t m = 0; m < minibatches; ++m) beat(pattern[m % pattern.size()]);
  }

 private:
  contract::Schedule schedule_;
  SteadyStateDetector detector_;
  std::int64_t date_ = 0;
};

constexpr std::int64_t endless = 1'000'000'000;

TEST(SteadyState, ConstantRhythm) {
  ToldRun run(endless);
  run.beats({{10, 3}}, 2);
  const Period period = run.detector().period();
  EXPECT_TRUE(period.exact);
  EXPECT_EQ(period.cycles_per_minibatch, 10.0);
  EXPECT_EQ(period.minibatches, 1);
  EXPECT_EQ(period.first_minibatch, 0);
}

// The mean of 50, 50 and 70 cycles.
TEST(SteadyState, RhythmOfSeveralMinibatches) {
  ToldRun run(endless);
  run.beats({{50, 1}, {50, 2}, {70, 3}}, 3);
  EXPECT_FALSE(run.detector().exact_period());
  run.beats({{50, 1}}, 1);
  EXPECT_TRUE(run.detector().period().exact);
  EXPECT_DOUBLE_EQ(run.detector().period().cycles_per_minibatch, 170.0 / 3.0);
  EXPECT_EQ(run.detector().period().minibatches, 3);
}

TEST(SteadyState, FillIsLeftOut) {
  ToldRun run(endless);
  run.beats({{30, 9}, {47, 8}, {10, 7}, {39, 6}}, 4);
  run.beats({{10, 5}}, 2);
  EXPECT_TRUE(run.detector().period().exact);
  EXPECT_EQ(run.detector().period().cycles_per_minibatch, 10.0);
  EXPECT_EQ(run.detector().period().first_minibatch, 4);
}

TEST(SteadyState, HasPassedWhenTheRhythmHasComeOnceMore) {
  ToldRun run(endless);
  const std::vector<Beat> pattern{{50, 1}, {70, 2}};
  run.beats(pattern, 3);
  EXPECT_TRUE(run.detector().exact_period());
  EXPECT_FALSE(run.detector().has_passed());
  run.beats({pattern[1]}, 1);
  EXPECT_FALSE(run.detector().has_passed());
  run.beats(pattern, 1);
  EXPECT_TRUE(run.detector().has_passed());
}

/// Operation 0 starts once for each minibatch, at the latest when that ends. Of 5 minibatches the
/// last has started when the fifth ends: from there on it would be missed.
TEST(SteadyState, NothingIsConcludedFromTheDrain) {
  ToldRun run(5);
  run.beats({{10, 1}, {10, 2}, {10, 3}, {10, 4}, {10, 4}}, 5);
  EXPECT_FALSE(run.detector().period().exact);
  ToldRun longer(6);
  longer.beats({{10, 1}, {10, 2}, {10, 3}, {10, 4}, {10, 4}}, 5);
  EXPECT_TRUE(longer.detector().period().exact);
}

/// Operation 1 of minibatch m sends weights for minibatch m + 3: in a run of 6, that of the fourth
/// is the first that is not sent.
TEST(SteadyState, TheDrainBeginsWithTheFirstTensorThatIsNotSent) {
  contract::Schedule schedule = tests::one_layer_schedule();
  schedule.tensors.push_back({{1}, 0, 1, 8, contract::TensorClass::additional_weights, 0});
  schedule.edges.push_back({1, 0, 3, contract::InputKind::weights, 0});
  for (const std::int64_t minibatches : {6, 7}) {
    ToldRun run(minibatches, schedule);
    for (const std::int64_t age : {1, 2, 3, 3}) {
      run.detector().record({EventKind::transfer_queued, 0, 0, 0});
      run.detector().record({EventKind::transfer_started, 0, 0, 0});
      run.detector().record({EventKind::transfer_ended, 0, 0, 0});
      run.beat({10, age});
    }
    EXPECT_EQ(run.detector().period().exact, minibatches == 7) << minibatches;
  }
}

/// Two states differ where a flow has more to go, if all else is equal; by less than a step of
/// 10^-4 cycles they do not.
TEST(SteadyState, FlowsBelongToTheState) {
  ToldRun run(endless);
  run.beat({10, 1}, {7.25, 0.0});
  run.beat({10, 1}, {7.2501, 0.0});
  run.beat({10, 1}, {0.0, 7.25});
  EXPECT_FALSE(run.detector().exact_period());
  run.beat({10, 1}, {7.25 + 1e-9, 0.0});
  EXPECT_TRUE(run.detector().exact_period());
  EXPECT_EQ(run.detector().period().minibatches, 3);
}

/// Which of two tensors has waited longer decides which is sent first.
TEST(SteadyState, TheTimeInTheQueueBelongsToTheState) {
  contract::Schedule schedule = tests::one_layer_schedule();
  schedule.tensors.resize(2);
  for (const contract::TensorId second_time_first : {0U, 1U}) {
    ToldRun run(endless, schedule);
    std::int64_t date = 0;
    for (const contract::TensorId first : {contract::TensorId{0}, second_time_first}) {
      run.detector().record({EventKind::transfer_queued, date + 2, first, 0});
      run.detector().record({EventKind::transfer_queued, date + 3, 1 - first, 0});
      run.beat({10, 1});
      for (const contract::TensorId tensor : {0U, 1U}) {
        run.detector().record({EventKind::transfer_started, date + 11, tensor, 0});
        run.detector().record({EventKind::transfer_ended, date + 11, tensor, 0});
      }
      date += 10;
    }
    EXPECT_EQ(run.detector().period().exact, second_time_first == 0);
  }
}

/// A local sum is completed once for each minibatch, as everything else happens once.
TEST(SteadyState, SumsThatStayAreCounted) {
  contract::Schedule schedule = tests::one_layer_schedule();
  schedule.tensors.push_back({{1}, 0, 0, 8, contract::TensorClass::local, 0});
  schedule.edges.push_back({1, 0, 1, contract::InputKind::gradient, 0});
  ToldRun run(endless, schedule);
  for (int m = 0; m < 2; ++m) {
    run.detector().record({EventKind::sum_completed, 0, 0, 0});
    run.beat({10, 1});
  }
  EXPECT_TRUE(run.detector().period().exact);
  ToldRun piling_up(endless, schedule);
  for (int m = 0; m < 2; ++m) {
    for (int i = 0; i <= m; ++i) piling_up.detector().record({EventKind::sum_completed, 0, 0, 0});
    piling_up.beat({10, 1});
  }
  EXPECT_FALSE(piling_up.detector().exact_period());
}

/// No state comes twice, but all that ends is regular.
TEST(SteadyState, AMeanWithinTheToleranceIsGoodEnough) {
  for (const double tolerance : {0.0, 0.001}) {
    ToldRun run(endless, tests::one_layer_schedule(),
                {.least_cycles = 10'005.0, .tolerance = tolerance});
    for (std::int64_t m = 0; m < 2000; ++m) {
      run.beat({10'000, m});
      if (tolerance > 0.0) continue;
      EXPECT_FALSE(run.detector().settled_period());
    }
    const Period period = run.detector().period();
    EXPECT_FALSE(period.exact);
    EXPECT_EQ(period.cycles_per_minibatch, 10'000.0);
    EXPECT_NEAR(period.relative_error_bound.value(), 0.0005, 1e-9);
    EXPECT_EQ(run.detector().settled_period().has_value(), tolerance > 0.0);
  }
  ToldRun run(endless, tests::one_layer_schedule(), {.least_cycles = 10'015.0, .tolerance = 0.001});
  for (std::int64_t m = 0; m < 2000; ++m) run.beat({10'000, m});
  EXPECT_FALSE(run.detector().settled_period());
  EXPECT_NEAR(run.detector().period().relative_error_bound.value(), 0.0015, 1e-9);
}

TEST(SteadyState, WithoutAPatternTheMeanOfTheMiddleHalf) {
  // Minibatch m of 16 ends at 100 (m + 1)^2: the middle half is 4..11.
  ToldRun run(16);
  for (std::int64_t m = 1; m <= 16; ++m) run.beat({100 * (2 * m - 1), m});
  const Period period = run.detector().period();
  EXPECT_FALSE(period.exact);
  EXPECT_DOUBLE_EQ(period.cycles_per_minibatch, 100.0 * (12.0 * 12.0 - 4.0 * 4.0) / 8.0);
  EXPECT_EQ(period.minibatches, 0);
  EXPECT_EQ(period.first_minibatch, 4);
}

TEST(SteadyState, ASingleMinibatchHasItsOwnLength) {
  ToldRun run(1);
  run.beat({42, 1});
  EXPECT_FALSE(run.detector().period().exact);
  EXPECT_EQ(run.detector().period().cycles_per_minibatch, 42.0);
}

TEST(SteadyState, OnlyAWindowOfStatesIsKept) {
  constexpr auto window = static_cast<std::int64_t>(SteadyStateDetector::window);
  for (const std::int64_t length : {window, window + 1}) {
    ToldRun run(endless);
    for (std::int64_t m = 0; m < 2 * length; ++m) run.beat({2 * window, m % length});
    EXPECT_EQ(run.detector().period().exact, length == window);
  }
}

TEST(SteadyState, AMinibatchEndsWithItsLastUpdate) {
  contract::Schedule schedule = tests::one_layer_schedule();
  schedule.ops.push_back({{{costs::OpKind::weight_gradient, 1, 1.0, 1}}, 0});
  schedule.updates = {1, 2};
  ToldRun run(endless, schedule);
  const auto execute = [&run](contract::OpId op, std::int64_t date) {
    run.start(op, date - 1);
    run.end(op, date);
    run.over(date + 1);
  };
  execute(1, 10);  // is always a minibatch ahead
  for (std::int64_t m = 0; m < 4; ++m) {
    execute(0, 81 + 30 * m);
    execute(1, 91 + 30 * m);
    execute(2, 100 + 30 * m);
  }
  EXPECT_EQ(run.detector().minibatches_ended(), 4);
  EXPECT_TRUE(run.detector().period().exact);
  EXPECT_EQ(run.detector().period().cycles_per_minibatch, 30.0);
}

/// The state is that when the date is over, however many minibatches end at it.
TEST(SteadyState, MinibatchesThatEndTogether) {
  ToldRun run(endless);
  for (const std::int64_t date : {10, 20}) {
    for (int i = 0; i < 2; ++i) {
      for (const contract::OpId op : {0U, 1U}) {
        run.start(op, date);
        run.end(op, date);
      }
    }
    run.over(date + 10);
  }
  EXPECT_TRUE(run.detector().period().exact);
  EXPECT_EQ(run.detector().period().cycles_per_minibatch, 5.0);
  EXPECT_EQ(run.detector().period().minibatches, 2);
}

/// Minibatches end every 10 cycles while the other operation gets ahead by one more every time:
/// whatever bounds that, it cannot go on for ever.
TEST(SteadyState, ARhythmWhileWorkPilesUpIsNotSteady) {
  ToldRun run(20);
  for (std::int64_t m = 0; m < 20; ++m) {
    run.start(0, 10 * m);
    run.end(0, 10 * m + 1);
    run.beat({10, 1});
  }
  EXPECT_FALSE(run.detector().period().exact);
  EXPECT_EQ(run.detector().period().cycles_per_minibatch, 10.0);
}

}  // namespace
}  // namespace layerpipe::metrics
