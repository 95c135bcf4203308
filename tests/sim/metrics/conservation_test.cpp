#include "sim/metrics/conservation.hpp"

#include <gtest/gtest.h>

#include "workloads/base/error.hpp"

namespace layerpipe::metrics {
namespace {

using namespace events;

using contract::Edge;
using contract::InputKind;
using contract::TensorClass;

/// Operation 0 on p0 sends tensor 0 to p1, where tensor 1 is its sum with operation 1; operation 2
/// waits for that, and one minibatch later for tensor 2.
contract::Schedule schedule() {
  contract::Schedule result;
  result.name = "test";
  for (const std::size_t processor : {0U, 1U, 1U}) {
    result.ops.push_back({{{costs::OpKind::forward, 0, 1.0, 5}}, processor});
  }
  result.tensors.push_back({{0}, 0, 1, 8, TensorClass::mandatory, 0});
  result.tensors.push_back({{1}, 1, 1, 8, TensorClass::local, 0, {0}});
  result.tensors.push_back({{0}, 0, 1, 8, TensorClass::additional_weights, 0});
  result.edges.push_back({1, 2, 0, InputKind::gradient, 1});
  result.edges.push_back({0, 2, 1, InputKind::weights, 2});
  return result;
}

void execute(Conservation& run, std::size_t op) {
  run.record({EventKind::operation_started, 0, op, 0});
  run.record({EventKind::operation_ended, 5, op, 0});
}

void transfer(Conservation& run, std::size_t tensor) {
  run.record({EventKind::transfer_started, 5, tensor, 0, 5});
  run.record({EventKind::transfer_ended, 6, tensor, 0, 5});
}

/// Two minibatches: all twice, but the weights, which the first one finds in place.
void execute_all(Conservation& run) {
  for (int minibatch = 0; minibatch < 2; ++minibatch) {
    for (const std::size_t op : {0U, 1U, 2U}) execute(run, op);
    transfer(run, 0);
    run.record({EventKind::sum_completed, 6, 1, minibatch});
  }
  transfer(run, 2);
}

TEST(Conservation, AcceptsAWholeRun) {
  const contract::Schedule s = schedule();
  Conservation run(s);
  execute_all(run);
  EXPECT_NO_THROW(run.check(2));
}

TEST(Conservation, NothingMayBeMissingOrThereTwice) {
  const contract::Schedule s = schedule();
  Conservation once_too_often(s);
  execute_all(once_too_often);
  execute(once_too_often, 1);
  EXPECT_THROW(once_too_often.check(2), InternalError);
  Conservation sent_twice(s);
  execute_all(sent_twice);
  transfer(sent_twice, 2);
  EXPECT_THROW(sent_twice.check(2), InternalError);
  Conservation missing(s);
  execute_all(missing);
  EXPECT_THROW(missing.check(3), InternalError);
}

TEST(Conservation, WhatIsSentHasToArrive) {
  const contract::Schedule s = schedule();
  Conservation run(s);
  for (int minibatch = 0; minibatch < 2; ++minibatch) {
    for (const std::size_t op : {0U, 1U, 2U}) execute(run, op);
    transfer(run, 0);
    run.record({EventKind::sum_completed, 6, 1, minibatch});
  }
  run.record({EventKind::transfer_started, 5, 2, 0, 5});
  EXPECT_THROW(run.check(2), InternalError);
}

}  // namespace
}  // namespace layerpipe::metrics
