#include "sim/metrics/per_minibatch.hpp"

#include <gtest/gtest.h>

namespace layerpipe::sim {
namespace {

using scheduler::TensorClass;

/// Processor 0 sends a mandatory tensor of 100 bytes and weights of 10 bytes to processor 1, which
/// uses the weights two minibatches later.
scheduler::Schedule sender_and_receiver() {
  scheduler::Schedule schedule;
  for (const std::size_t p : {0U, 1U}) {
    schedule.ops.push_back({{{scheduler::OpKind::forward, p, 1.0, 5}}, p});
  }
  schedule.orders.resize(2);
  schedule.tensors.push_back({{0}, 0, 1, 100, TensorClass::mandatory, 0});
  schedule.tensors.push_back({{0}, 0, 1, 10, TensorClass::additional_weights, 0});
  schedule.edges.push_back({0, 1, 0, scheduler::InputKind::activation, 0});
  schedule.edges.push_back({0, 1, 2, scheduler::InputKind::weights, 1});
  schedule.updates = {1};
  return schedule;
}

Channels one_channel() { return {{{0, 1, {{0}, 0.0}, false}}, {0, 0}}; }

void transfer(PerMinibatch& counts, std::size_t tensor, std::int64_t minibatch,
              std::int64_t cycles) {
  counts.record({EventKind::transfer_started, 100, tensor, minibatch, 100});
  counts.record({EventKind::transfer_ended, 100 + cycles, tensor, minibatch, 100});
}

/// Minibatches 0 and 1 find their weights in place; from 2 on each one sends them.
TEST(PerMinibatch, CountsMinibatchesThatSendEverything) {
  const scheduler::Schedule schedule = sender_and_receiver();
  const Channels channels = one_channel();
  const SteadyStateDetector steady(schedule, 5);
  PerMinibatch counts(schedule, channels, 5, steady);
  for (std::int64_t m = 0; m < 5; ++m) {
    counts.record({EventKind::operation_started, 10 * m, 0, m});
    counts.record({EventKind::operation_ended, 10 * m + 5, 0, m});
    transfer(counts, 0, m, 20);
    if (m >= 2) transfer(counts, 1, m, 3);
  }
  counts.finish(5);
  EXPECT_EQ(counts.busy_cycles(0), 5);
  EXPECT_EQ(counts.busy_cycles(1), 0);
  EXPECT_EQ(counts.channel(0).bytes, 110);
  EXPECT_DOUBLE_EQ(counts.channel(0).busy_cycles, 23.0);
  EXPECT_EQ(counts.communication().mandatory_bytes, 100);
  EXPECT_EQ(counts.communication().additional_weights_bytes, 10);
  EXPECT_EQ(counts.communication().additional_gradients_bytes, 0);
}

/// A minibatch ends every 100 cycles; its two transfers take 50 cycles each at first, and 30 from
/// the fourth on.
TEST(PerMinibatch, ChannelsAreCountedOverAnExactPeriod) {
  const scheduler::Schedule schedule = sender_and_receiver();
  const Channels channels = one_channel();
  SteadyStateDetector steady(schedule, 100);
  PerMinibatch counts(schedule, channels, 100, steady);
  const auto tell = [&](const Event& event) {
    steady.record(event);
    counts.record(event);
  };
  for (std::int64_t m = 0; m < 8; ++m) {
    const std::int64_t date = 100 * m;
    const std::int64_t cycles = m < 3 ? 50 : 30;
    EXPECT_EQ(counts.has_enough(m), m > 6) << m;
    for (const std::size_t tensor : {0U, 1U}) {
      tell({EventKind::transfer_queued, date, tensor, m, date});
      tell({EventKind::transfer_started, date, tensor, m, date});
      tell({EventKind::transfer_ended, date + cycles, tensor, m, date});
    }
    for (const std::size_t op : {0U, 1U}) {
      tell({EventKind::operation_started, date + 90, op, m});
      tell({EventKind::operation_ended, date + 100, op, m});
    }
    for (EventSink* sink : {static_cast<EventSink*>(&steady), static_cast<EventSink*>(&counts)}) {
      sink->date_over(date + 101,
                      [&] { return std::vector{m < 4 ? static_cast<double>(m) : 4.0}; });
    }
  }
  counts.finish(8);
  EXPECT_DOUBLE_EQ(counts.channel(0).busy_cycles, 60.0);
  EXPECT_EQ(counts.channel(0).bytes, 110);
}

TEST(PerMinibatch, AShortRunCountsItsLastMinibatch) {
  const scheduler::Schedule schedule = sender_and_receiver();
  const Channels channels = one_channel();
  const SteadyStateDetector steady(schedule, 2);
  PerMinibatch counts(schedule, channels, 2, steady);
  transfer(counts, 0, 0, 20);
  transfer(counts, 0, 1, 20);
  counts.finish(2);
  EXPECT_EQ(counts.communication().mandatory_bytes, 100);
  EXPECT_EQ(counts.communication().additional_weights_bytes, 0);
}

}  // namespace
}  // namespace layerpipe::sim
