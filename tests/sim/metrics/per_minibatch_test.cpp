#include "sim/metrics/per_minibatch.hpp"

#include <gtest/gtest.h>

namespace layerpipe::metrics {
namespace {

using namespace events;

using contract::TensorClass;

/// Processor 0 sends a mandatory tensor of 100 bytes and weights of 10 bytes to processor 1, which
/// uses the weights two minibatches later.
contract::Schedule sender_and_receiver() {
  contract::Schedule schedule;
  for (const std::size_t p : {0U, 1U}) {
    schedule.ops.push_back({{{costs::OpKind::forward, p, 1.0, 5}}, p});
  }
  schedule.orders.resize(2);
  schedule.tensors.push_back({{0}, 0, 1, 100, TensorClass::mandatory, 0});
  schedule.tensors.push_back({{0}, 0, 1, 10, TensorClass::additional_weights, 0});
  schedule.edges.push_back({0, 1, 0, contract::InputKind::activation, 0});
  schedule.edges.push_back({0, 1, 2, contract::InputKind::weights, 1});
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
  const contract::Schedule schedule = sender_and_receiver();
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
  EXPECT_EQ(counts.bytes(0), 110);
  EXPECT_EQ(counts.communication().mandatory_bytes, 100);
  EXPECT_EQ(counts.communication().additional_weights_bytes, 10);
  EXPECT_EQ(counts.communication().additional_gradients_bytes, 0);
}

TEST(PerMinibatch, AShortRunCountsItsLastMinibatch) {
  const contract::Schedule schedule = sender_and_receiver();
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
}  // namespace layerpipe::metrics
