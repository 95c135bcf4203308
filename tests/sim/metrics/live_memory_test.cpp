#include "sim/metrics/live_memory.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/discipline/lower.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/metrics/replay.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::metrics {
namespace {

using namespace events;

using contract::Schedule;
using costs::Profile;

void expect_memory(const MemoryBytes& found, const MemoryBytes& expected) {
  EXPECT_EQ(found.weights, expected.weights);
  EXPECT_EQ(found.activations, expected.activations);
  EXPECT_EQ(found.gradients, expected.gradients);
  EXPECT_EQ(found.queued, expected.queued);
  EXPECT_EQ(found.total, expected.total);
}

void play(LiveMemory& memory, const std::vector<Event>& events) {
  for (const Event& event : events) memory.record(event);
}

constexpr EventKind started = EventKind::operation_started;
constexpr EventKind ended = EventKind::operation_ended;
constexpr EventKind arrived = EventKind::transfer_ended;

/// Two layers of 640 B of activations and 64 B of weights on two processors, nothing lent: M = 2,
/// 0. Operations FP1 0, G1 1, FP2 2, delta2 3, G2 4; tensors a(1) 0 and its gradient 1. The
/// gradient at the network's output has 8 B.
class TwoStages : public testing::Test {
 protected:
  static Profile two_layers() {
    Profile profile = tests::test_profile({{10, 0, 10, 640, 64}, {10, 10, 10, 0, 64}});
    profile.layers[1].loss_gradient_bytes = 8;
    return profile;
  }

  const Profile profile_ = two_layers();
  const Schedule schedule_ = discipline::layerpipe_schedule("layerpipe", profile_, {{{0}, {1}}}, 2);
  LiveMemory memory_{schedule_, profile_};
};

// FP1 0-10, a(1) under way 10-20, FP2 25-35, delta2 35-45, G2 45-60, gradient under way 45-55,
// G1 55-65. By hand, p0: a(1) 10-20; gradient 55-65 and G1's own 64 B; a second version of the
// weights from 65 on, as the first may serve minibatches 1 and 2. p1: a(1) queued 20-25, then kept
// to 60; 8 B of the loss 35-60, the result of delta2 45-55, G2's 64 B 45-60.
TEST_F(TwoStages, HoldWhatAMinibatchNeeds) {
  play(memory_, {{started, 0, 0}, {ended, 10, 0}});
  expect_memory(memory_.now(0), {64, 0, 0, 640, 704});
  play(memory_, {{arrived, 20, 0}});
  expect_memory(memory_.now(0), {64, 0, 0, 0, 64});
  expect_memory(memory_.now(1), {64, 0, 0, 640, 704});
  play(memory_, {{started, 25, 2}});
  expect_memory(memory_.now(1), {64, 640, 0, 0, 704});
  play(memory_, {{ended, 35, 2}, {started, 35, 3}, {ended, 45, 3}, {started, 45, 4}});
  expect_memory(memory_.now(1), {64, 640, 8 + 640 + 64, 0, 1416});
  play(memory_, {{arrived, 55, 1}, {started, 55, 1}});
  expect_memory(memory_.now(0), {64, 0, 640 + 64, 0, 768});
  expect_memory(memory_.now(1), {64, 640, 8 + 64, 0, 776});
  play(memory_, {{ended, 60, 4}, {ended, 65, 1}});
  expect_memory(memory_.now(0), {128, 0, 0, 0, 128});
  expect_memory(memory_.now(1), {64, 0, 0, 0, 64});
  expect_memory(memory_.peak(0), {128, 0, 704, 640, 768});
  expect_memory(memory_.peak(1), {64, 640, 712, 640, 1416});
}

// The same layers as two stages on one processor, whose backward passes are whole: FP1 0, FP2 1, B1
// 2, B2 3 in the order of the operations. The gradient at a(1), 640 B, waits from the end of B2 to
// that of B1; within B2 it is made, beside the 8 B of the loss and B2's 64 B.
TEST_F(TwoStages, MayLieOnOneProcessor) {
  using enum discipline::ActionKind;
  const Schedule schedule = discipline::lower_whole(
      profile_,
      {.name = "test",
       .stages = {{0, 0, 0}, {1, 1, 0}},
       .processors = 1,
       .micro_batches = 1,
       .staleness = {0, 0},
       .program = {{{forward, 0, 0}, {forward, 1, 0}, {backward, 1, 0}, {backward, 0, 0}}}});
  LiveMemory memory(schedule, profile_);
  ASSERT_EQ(schedule.ops[3].parts.size(), 2U);
  play(memory, {{started, 0, 0}, {ended, 10, 0}, {started, 10, 1}, {ended, 20, 1}});
  expect_memory(memory.now(0), {128, 640, 8, 0, 776});
  play(memory, {{started, 20, 3}});
  expect_memory(memory.now(0), {128, 640, 8 + 64 + 640, 0, 1480});
  play(memory, {{ended, 40, 3}});
  expect_memory(memory.now(0), {128, 0, 640, 0, 768});
  play(memory, {{started, 40, 2}});
  expect_memory(memory.now(0), {128, 0, 640 + 64, 0, 832});
  play(memory, {{ended, 50, 2}});
  expect_memory(memory.now(0), {128, 0, 0, 0, 128});
}

// At date 10, a(1) arrives in no time before or after FP2 starts on it: it is not queued.
TEST_F(TwoStages, WhatIsOverAtADateIsNotSeenThere) {
  play(memory_, {{started, 0, 0}, {ended, 10, 0}, {arrived, 10, 0}, {started, 10, 2}});
  expect_memory(memory_.peak(0), {64, 0, 0, 0, 64});
  expect_memory(memory_.peak(1), {64, 640, 0, 0, 704});
}

// Three minibatches of FP1 whose outputs wait for the channel belong to p0; one arrives at 35.
TEST_F(TwoStages, WhatWaitsToBeSentIsItsSenders) {
  play(memory_, {{started, 0, 0},
                 {ended, 10, 0},
                 {started, 10, 0},
                 {ended, 20, 0},
                 {started, 20, 0},
                 {ended, 30, 0}});
  expect_memory(memory_.now(0), {64, 0, 0, 3 * 640, 64 + 3 * 640});
  play(memory_, {{arrived, 35, 0}});
  expect_memory(memory_.now(0), {64, 0, 0, 2 * 640, 64 + 2 * 640});
  expect_memory(memory_.now(1), {64, 0, 0, 640, 704});
}

/// Layers 1 and 2 on p0, 3 on p1, which computes a quarter of delta(2): M = 2, 2, 0. Operations FP1
/// 0, G1 1, FP2 2, delta2' 3, delta2'' 4, G2 5, FP3 6, delta3 7, G3 8. p1 needs 16 of 64 B of W(2)
/// and 12 B for the weightless layers behind it, whose relu reads a(2).
class Lending : public testing::Test {
 protected:
  static Profile three_layers() {
    Profile profile =
        tests::test_profile({{10, 0, 10, 640, 64}, {10, 8, 10, 320, 64}, {10, 10, 10, 0, 64}});
    profile.layers[1].weightless_backward_bytes = 12;
    profile.layers[1].kept_weightless_bytes = 12;
    profile.values[1].shows_signs = true;
    return profile;
  }

  [[nodiscard]] contract::TensorId tensor(costs::ProcessorId source, std::int64_t bytes) const {
    for (contract::TensorId id = 0; id < schedule_.tensors.size(); ++id) {
      const contract::Tensor& tensor = schedule_.tensors[id];
      if (tensor.source == source && tensor.bytes == bytes) return id;
    }
    ADD_FAILURE() << "no tensor of " << bytes << " bytes";
    return 0;
  }

  const Profile profile_ = three_layers();
  const Schedule schedule_ =
      discipline::layerpipe_schedule("layerpipe", profile_, {{{0}, {0, {{1, 0.25, 2}}}, {1}}}, 2);
  LiveMemory memory_{schedule_, profile_};
};

TEST_F(Lending, TheBorrowerHoldsItsPartOfTheWeightsUntilItHasUsedIt) {
  const contract::TensorId slice = tensor(0, 16);
  expect_memory(memory_.now(1), {64 + 16, 0, 0, 0, 80});
  // The update of minibatch 0 makes a version for minibatch 3. Minibatches 0 to 2 use the first.
  play(memory_, {{arrived, 10, slice}});
  EXPECT_EQ(memory_.now(1).weights, 64 + 2 * 16);
  for (const std::int64_t m : {0, 1}) {
    play(memory_, {{started, 20 + m, 4}, {ended, 21 + m, 4}});
    EXPECT_EQ(memory_.now(1).weights, 64 + 2 * 16) << m;
  }
  play(memory_, {{started, 30, 4}, {ended, 31, 4}});
  EXPECT_EQ(memory_.now(1).weights, 64 + 16);
}

// By hand: nothing that p0 sends arrives. a(2) and the 12 B are queued when the backward pass has
// ended, and a part of version 1 of the weights when minibatch 3, the last to use it, has.
TEST_F(Lending, WhatIsNotSentYetIsQueuedWhenItIsNotNeededAnyMore) {
  for (const std::int64_t m : {0, 1, 2, 3}) {
    for (const contract::OpId op : {2U, 3U, 5U}) {
      play(memory_, {{started, 10 * m, op}, {ended, 10 * m + 1, op}});
    }
    EXPECT_EQ(memory_.now(0).queued, (m + 1) * (320 + 12) + (m == 3 ? 16 : 0)) << m;
  }
  EXPECT_EQ(memory_.now(0).weights, 64 + 3 * 64);
  play(memory_, {{arrived, 45, tensor(0, 16)}});
  EXPECT_EQ(memory_.now(0).queued, 4 * (320 + 12));
}

// a(2) and the 12 B are there until delta2'' has ended, on p1; on p0, until G2 has.
TEST_F(Lending, TheBorrowerHoldsWhatItsWeightlessLayersNeed) {
  play(memory_, {{started, 0, 2}, {ended, 10, 2}});
  expect_memory(memory_.now(0), {128, 640 + 320 + 12, 0, 0, 1100});
  play(memory_, {{arrived, 11, tensor(0, 12)}, {arrived, 12, tensor(0, 320)}});
  expect_memory(memory_.now(1), {80, 12, 0, 320, 412});
  play(memory_, {{started, 13, 6}, {ended, 14, 6}, {started, 15, 8}, {ended, 16, 8}});
  EXPECT_EQ(memory_.now(1).activations, 320 + 12);
  play(memory_, {{started, 17, 4}, {ended, 18, 4}});
  EXPECT_EQ(memory_.now(1).activations, 0);
  EXPECT_EQ(memory_.now(0).activations, 640 + 320 + 12);
  play(memory_, {{started, 20, 3}, {ended, 21, 3}, {started, 21, 5}, {ended, 22, 5}});
  EXPECT_EQ(memory_.now(0).activations, 0);
}

/// Layer 1 on p0; 2 and 3 on p1, both take a(1).
TEST(LiveMemory, AValueIsThereOnceForAllThatUseItOnAProcessor) {
  Profile profile =
      tests::test_profile({{10, 0, 10, 640, 64}, {10, 10, 10, 320, 64}, {10, 10, 10, 0, 64}});
  profile.values[0].uses = {{1}, {2}};
  profile.layers[0].borrower.reset();
  const Schedule schedule =
      discipline::layerpipe_schedule("layerpipe", profile, {{{0}, {1}, {1}}}, 2);
  // Operations FP1 0, G1 1, FP2 2, delta2 3, G2 4, FP3 5, delta3 6, G3 7.
  LiveMemory memory(schedule, profile);
  play(memory, {{started, 0, 0}, {ended, 10, 0}, {arrived, 20, 0}});
  expect_memory(memory.now(1), {128, 0, 0, 640, 768});
  play(memory, {{started, 25, 2}, {ended, 35, 2}});
  expect_memory(memory.now(1), {128, 640, 0, 320, 128 + 640 + 320});
  play(memory, {{started, 35, 5}, {ended, 45, 5}, {started, 45, 7}, {ended, 55, 7}});
  EXPECT_EQ(memory.now(1).activations, 640);  // G2 needs it yet
  play(memory, {{started, 55, 4}, {ended, 65, 4}});
  EXPECT_EQ(memory.now(1).activations, 0);
}

/// Peaks on one processor under layerpipe of a network of 1 sample of 1 x 1, 1 byte an element.
MemoryBytes peak_of(const std::string& layers) {
  const machine::Machine machine = tests::test_machine(1);
  const Profile profile = costs::profile(
      machine, read::parse_network(
                   "batch: 1\ninput: {channels: 1, height: 1, width: 1}\n"
                   "bytes_per_element: {activations: 1, weights: 1, gradients: 1}\nlayers:\n" +
                       layers,
                   "network"));
  const Schedule schedule =
      scheduler::find_scheduler("layerpipe").plan(profile, machine, {}).schedule;
  LiveMemory memory(schedule, profile);
  replay(theory::timetable(schedule, 3, [](contract::TensorId) { return 0; }), memory);
  return memory.peak(0);
}

// The group of a has two outputs: r, whose signs are needed backward, and the upsampled one, which
// only FP b takes. With that over: the input of 1 byte, r of 10, until G b has ended. While FP b is
// executed: 1 + 10 + 100000.
TEST(LiveMemory, OnlyTheOutputThatShowsSignsIsKeptForThem) {
  EXPECT_EQ(peak_of("  - {name: a, type: conv2d, out_channels: 10, kernel_size: 1, bias: false}\n"
                    "  - {name: r, type: relu}\n"
                    "  - {name: big, type: upsample, inputs: a, scale_factor: 100}\n"
                    "  - {name: b, type: conv2d, inputs: r, out_channels: 10, kernel_size: 1}\n"
                    "  - {name: bb, type: upsample, scale_factor: 100}\n"
                    "  - {type: add, inputs: [bb, big]}\n"
                    "  - {type: adaptive_avgpool2d, output_size: 1}\n"
                    "  - {name: c, type: conv2d, out_channels: 1, kernel_size: 1}\n")
                .activations,
            1 + 10 + 100'000);
}

// The upsampled output of group a is one of the network, as is b: gradients of 100000 and 1000
// bytes from the ends of FP a and FP b. While G b is executed there are these two, the result of
// delta b, 10, and that of G b, 10 x 1000. G a comes later.
TEST(LiveMemory, TheGradientAtAnOutputOfTheNetworkWaitsForItsGroup) {
  EXPECT_EQ(peak_of("  - {name: a, type: conv2d, out_channels: 10, kernel_size: 1, bias: false}\n"
                    "  - {name: b, type: conv2d, out_channels: 1000, kernel_size: 1, bias: false}\n"
                    "  - {name: big, type: upsample, inputs: a, scale_factor: 100}\n")
                .gradients,
            100'000 + 1'000 + 10 + 10'000);
}

}  // namespace
}  // namespace layerpipe::metrics
