#include "scheduler/contract/micro_batches.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "scheduler/discipline/lower.hpp"
#include "scheduler/discipline/zero_bubble.hpp"
#include "tests/support/test_profile.hpp"

namespace layerpipe::contract {
namespace {

using costs::OpKind;
using discipline::lower_split;

constexpr std::size_t micro_batches = 3;

/// Two layers on two processors; the second one computes half of what the first one's input
/// gradient takes, with weights that it is sent.
Schedule borrowing_schedule() {
  costs::Profile profile = tests::test_profile({{10, 6, 5, 64, 8}, {12, 8, 9, 16, 2}});
  profile.layers[0].has_input_gradient = true;
  profile.layers[0].input_gradient_cycles = 6;
  placement::Allocation allocation;
  allocation.layers = {{0, {{1, 0.5, 3}}}, {1, {}}};
  return lower_split(profile,
                     {.name = "test",
                      .stages = {{0, 0, 0}, {1, 1, 1}},
                      .processors = 2,
                      .micro_batches = micro_batches,
                      .staleness = {0, 0},
                      .program = discipline::zb_h1({2, micro_batches})},
                     allocation);
}

/// F and F, B in two parts and B, W and W.
TEST(MicroBatchSlices, HaveTheOperationsOfTheirMicroBatch) {
  const Schedule whole = borrowing_schedule();
  const std::vector<MicroBatchSlice> slices = micro_batch_slices(whole);
  ASSERT_EQ(slices.size(), micro_batches);
  for (std::size_t j = 0; j < micro_batches; ++j) {
    ASSERT_EQ(slices[j].ops.size(), 7U);
    ASSERT_EQ(slices[j].schedule.ops.size(), 7U);
    EXPECT_EQ(slices[j].schedule.micro_batches, 1U);
    for (std::size_t op = 0; op < 7; ++op) {
      const OpPart& part = slices[j].schedule.ops[op].parts.front();
      const OpPart& in_whole = whole.ops[slices[j].ops[op]].parts.front();
      EXPECT_EQ(part.micro_batch, 0U);
      EXPECT_EQ(in_whole.micro_batch, j);
      EXPECT_EQ(part.kind, in_whole.kind);
      EXPECT_EQ(part.layer, in_whole.layer);
    }
  }
}

/// An activation, and gradients of the second layer to the first; no weights.
TEST(MicroBatchSlices, HaveTheTensorsOfTheirMicroBatchButWeights) {
  const Schedule whole = borrowing_schedule();
  std::size_t of_all = 0;
  for (const MicroBatchSlice& slice : micro_batch_slices(whole)) {
    ASSERT_EQ(slice.tensors.size(), slice.schedule.tensors.size());
    of_all += slice.tensors.size();
    for (std::size_t id = 0; id < slice.tensors.size(); ++id) {
      const Tensor& tensor = slice.schedule.tensors[id];
      const Tensor& in_whole = whole.tensors[slice.tensors[id]];
      EXPECT_NE(tensor.tensor_class, TensorClass::additional_weights);
      EXPECT_EQ(tensor.bytes, in_whole.bytes);
      ASSERT_EQ(tensor.producers.size(), in_whole.producers.size());
      for (std::size_t i = 0; i < tensor.producers.size(); ++i) {
        EXPECT_EQ(slice.ops[tensor.producers[i]], in_whole.producers[i]);
      }
    }
  }
  EXPECT_EQ(of_all + 1, whole.tensors.size()) << "the weights are sent once";
}

/// Nothing waits for another micro-batch or for an update.
TEST(MicroBatchSlices, HaveTheEdgesWithinTheirMicroBatch) {
  const Schedule whole = borrowing_schedule();
  std::size_t of_all = 0;
  for (const MicroBatchSlice& slice : micro_batch_slices(whole)) {
    of_all += slice.schedule.edges.size();
    for (const Edge& edge : slice.schedule.edges) {
      EXPECT_EQ(edge.tokens, 0);
      EXPECT_LT(edge.from, slice.ops.size());
      EXPECT_LT(edge.to, slice.ops.size());
      if (edge.tensor == Edge::no_tensor) continue;
      ASSERT_LT(edge.tensor, slice.tensors.size());
      EXPECT_EQ(slice.schedule.tensors[edge.tensor].destination,
                slice.schedule.ops[edge.to].processor);
    }
  }
  std::size_t within = 0;
  for (const Edge& edge : whole.edges) within += edge.tokens == 0 ? 1U : 0U;
  EXPECT_EQ(of_all, within);
}

TEST(MicroBatchSlices, AreEqual) {
  const std::vector<MicroBatchSlice> slices = micro_batch_slices(borrowing_schedule());
  for (const MicroBatchSlice& slice : slices) {
    const Schedule& first = slices.front().schedule;
    ASSERT_EQ(slice.schedule.edges.size(), first.edges.size());
    for (std::size_t i = 0; i < first.edges.size(); ++i) {
      EXPECT_EQ(slice.schedule.edges[i].from, first.edges[i].from);
      EXPECT_EQ(slice.schedule.edges[i].to, first.edges[i].to);
      EXPECT_EQ(slice.schedule.edges[i].tensor, first.edges[i].tensor);
    }
  }
}

}  // namespace
}  // namespace layerpipe::contract
