#include "sim/metrics/used_versions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "workloads/base/error.hpp"

namespace layerpipe::metrics {
namespace {

using namespace events;

using contract::InputKind;
using costs::OpKind;

/// A forward pass (0), an input gradient (1) and a weight gradient (2); the first two wait for the
/// update of three minibatches ago.
contract::Schedule stale_layer() {
  contract::Schedule schedule;
  schedule.name = "stale";
  schedule.layer_names = {"a"};
  for (const OpKind kind : {OpKind::forward, OpKind::input_gradient, OpKind::weight_gradient}) {
    schedule.ops.push_back({{{kind, 0, 1.0, 1}}, 0});
  }
  schedule.edges = {{2, 0, 3, InputKind::weight_version}, {2, 1, 3, InputKind::weight_version}};
  schedule.orders.resize(1);
  schedule.updates = {2};
  schedule.stages = 1;
  return schedule;
}

class UsedVersionsTest : public testing::Test {
 protected:
  void start(contract::OpId op, std::int64_t minibatch) {
    versions_.record({EventKind::operation_started, 0, op, minibatch});
  }
  void execute(contract::OpId op, std::int64_t minibatch) {
    start(op, minibatch);
    versions_.record({EventKind::operation_ended, 0, op, minibatch});
  }

  contract::Schedule schedule_ = stale_layer();
  UsedVersions versions_{schedule_};
};

/// Minibatches 0 to 2 use the initial weights, which lack as many updates as there were
/// minibatches; from minibatch 2 on two are missing, though all have ended.
TEST_F(UsedVersionsTest, CountsTheUpdatesThatAreMissing) {
  for (std::int64_t m = 0; m < 6; ++m) {
    for (const contract::OpId op : {0U, 1U, 2U}) execute(op, m);
    EXPECT_EQ(versions_.most(0).in_forward, std::min<std::int64_t>(m, 2)) << m;
    EXPECT_EQ(versions_.most(0).in_backward, std::min<std::int64_t>(m, 2)) << m;
    EXPECT_EQ(versions_.most(0).pending, 0) << m;
    versions_.check(m + 1);
  }
}

TEST_F(UsedVersionsTest, CountsTheUpdatesThatHaveNotEnded) {
  for (std::int64_t m = 0; m < 3; ++m) execute(0, m);
  EXPECT_EQ(versions_.most(0).pending, 2);
}

TEST_F(UsedVersionsTest, RefusesAVersionThatIsNotThere) {
  for (std::int64_t m = 0; m < 3; ++m) execute(0, m);
  EXPECT_THAT([&] { start(0, 3); },
              testing::ThrowsMessage<InternalError>(
                  "schedule stale: op 0 (forward of a) of minibatch 3 started with 0 updates, "
                  "expected 1"));
}

/// Weights that are sent are there when they have arrived.
TEST(UsedVersions, WeightsThatAreSentHaveToArrive) {
  contract::Schedule schedule = stale_layer();
  schedule.tensors.push_back({{2}, 0, 1, 8, contract::TensorClass::additional_weights, 0});
  schedule.edges[1].tensor = 0;
  schedule.edges[1].tokens = 1;
  UsedVersions versions(schedule);
  versions.record({EventKind::operation_started, 0, 1, 0});
  versions.record({EventKind::operation_ended, 1, 2, 0});
  EXPECT_THROW(versions.record({EventKind::operation_started, 2, 1, 1}), InternalError);
  versions.record({EventKind::transfer_ended, 2, 0, 1});
  EXPECT_NO_THROW(versions.record({EventKind::operation_started, 2, 1, 1}));
}

/// A run in which an operation used fresher weights than the schedule says.
TEST_F(UsedVersionsTest, WhatTheRunShowsIsCheckedAgainstThePlan) {
  for (std::int64_t m = 0; m < 2; ++m) execute(0, m);
  EXPECT_THAT([&] { versions_.check(6); },
              testing::ThrowsMessage<InternalError>(
                  "schedule stale: the weights of a lack 1 updates forward and 0 backward, "
                  "expected 2"));
}

}  // namespace
}  // namespace layerpipe::metrics
