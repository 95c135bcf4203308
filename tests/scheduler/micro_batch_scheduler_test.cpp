#include "scheduler/micro_batch_scheduler.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "scheduler/contract/check_schedule.hpp"
#include "tests/support/measured_chain.hpp"
#include "tests/support/test_machine.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::scheduler {
namespace {

using namespace contract;
using testing::ElementsAre;
using testing::HasSubstr;
using tests::LayerCosts;

const std::vector<LayerCosts> six_layers{{7, 2, 3, 90, 12}, {8, 9, 4, 60, 12}, {9, 7, 5, 30, 12},
                                         {4, 6, 7, 30, 12}, {5, 5, 6, 30, 12}, {6, 4, 5, 30, 12}};

costs::Profile profile_of(const machine::Machine& machine, std::int64_t micro_batches) {
  return costs::profile(machine, tests::measured_chain(six_layers, micro_batches),
                        {.micro_batches = micro_batches});
}

std::string refusal(const char* name, const placement::SchedulerOptions& options) {
  const machine::Machine machine = tests::test_machine(3);
  try {
    static_cast<void>(
        find_scheduler(name).plan(profile_of(machine, *options.micro_batches), machine, options));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MicroBatchScheduler, HasTheNameOfItsDiscipline) {
  for (const discipline::Discipline& discipline : discipline::disciplines()) {
    const machine::Machine machine = tests::test_machine(3);
    const costs::Profile profile = profile_of(machine, 6);
    const Schedule schedule =
        find_scheduler(discipline.name).plan(profile, machine, tests::evenly(6)).schedule;
    EXPECT_NO_THROW(check(schedule, profile));
    EXPECT_EQ(schedule.name, discipline.name);
    EXPECT_EQ(schedule.micro_batches, 6U);
    EXPECT_EQ(schedule.stages, 3U);
  }
}

TEST(MicroBatchScheduler, PlacesSeveralStagesOnAProcessor) {
  const machine::Machine machine = tests::test_machine(3);
  const Schedule schedule = find_scheduler("looped-bfs")
                                .plan(profile_of(machine, 1), machine, tests::evenly(1, 2))
                                .schedule;
  std::vector<costs::ProcessorId> processors(six_layers.size());
  for (const Op& op : schedule.ops) {
    if (op.parts.front().kind == costs::OpKind::forward) {
      processors[op.parts.front().layer] = op.processor;
    }
  }
  EXPECT_THAT(processors, ElementsAre(0, 1, 2, 0, 1, 2));
}

// F, B and W of six layers: 16, 21, 21, 17, 16, 15, of which the first has no B.
TEST(MicroBatchScheduler, BorrowsWherePlacementSaysSo) {
  const machine::Machine machine = tests::test_machine(3);
  for (const placement::PlacementRule rule :
       {placement::PlacementRule::layerpipe, placement::PlacementRule::layerpipe_optimal}) {
    placement::SchedulerOptions options = tests::evenly(2);
    options.placement = rule;
    const Schedule schedule =
        find_scheduler("1f1b").plan(profile_of(machine, 2), machine, options).schedule;
    EXPECT_THAT(schedule.tensors, testing::Contains(testing::Field(
                                      &Tensor::tensor_class, TensorClass::additional_weights)))
        << to_string(rule);
    const std::int64_t slowest = slowest_processor_cycles(schedule);
    options.placement = placement::PlacementRule::whole;
    EXPECT_LT(slowest,
              slowest_processor_cycles(
                  find_scheduler("1f1b").plan(profile_of(machine, 2), machine, options).schedule));
  }
}

TEST(MicroBatchScheduler, RefusesWhatItCannotSchedule) {
  EXPECT_THAT(refusal("interleaved-1f1b", tests::evenly(4)),
              HasSubstr("4 micro-batches on 3 processors (expected a multiple)"));
  EXPECT_THAT(refusal("interleaved-1f1b", tests::evenly(3, 3)), HasSubstr("do not make 9 stages"));
  EXPECT_THAT(refusal("zb-h2", tests::evenly(4)), HasSubstr("(expected 5 or more)"));
  EXPECT_THAT(refusal("pipedream-2bw", tests::evenly(1)), HasSubstr("(expected 2 or more)"));
  placement::SchedulerOptions delayed = tests::evenly(3);
  delayed.delays = placement::DelayRule::stages_after;
  EXPECT_EQ(refusal("gpipe", delayed),
            "delays: gpipe has its own (expected a schedule of LayerPipe)");
}

// Up to four for each processor (GPipe), and a divisor of the batch.
TEST(DefaultMicroBatches, AreTheGreatestDivisorUpToFourTimesTheProcessors) {
  EXPECT_EQ(default_micro_batches(32, 3), 8);
  EXPECT_EQ(default_micro_batches(32, 2), 8);
  EXPECT_EQ(default_micro_batches(36, 3), 12);
  EXPECT_EQ(default_micro_batches(2, 4), 2);
  EXPECT_EQ(default_micro_batches(1, 4), 1);
  EXPECT_EQ(default_micro_batches(13, 3), 1);
  EXPECT_EQ(default_micro_batches(256, 16), 64);
}

std::string profile_refusal(std::int64_t batch, std::int64_t micro_batches) {
  network::Network network = tests::measured_chain(six_layers, 1);
  network.batch = batch;
  try {
    static_cast<void>(
        costs::profile(tests::test_machine(1), network, {.micro_batches = micro_batches}));
  } catch (const InfeasibleError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MicroBatchProfile, NeedsADivisorOfTheBatch) {
  EXPECT_EQ(profile_refusal(36, 5),
            "measured chain: a batch of 36 is not divided into 5 micro-batches (expected one of "
            "1, 2, 3, 4, 6, 9, 12, 18, 36)");
  EXPECT_EQ(profile_refusal(7, 14),
            "measured chain: a batch of 7 is not divided into 14 micro-batches (expected one of 1, "
            "7)");
  EXPECT_THAT(profile_refusal(8, 0), HasSubstr("(expected one of 1, 2, 4, 8)"));
  EXPECT_EQ(profile_refusal(36, 12), "accepted");
}

// 10 / 4 and 11 / 4 cycles, 30 / 4 bytes; halves are rounded up.
TEST(MicroBatchProfile, DividesGivenCostsToTheNearestCycleAndByte) {
  network::Network network = tests::measured_chain({{10, 11, 9, 30, 30}, {1}}, 1);
  network.batch = 4;
  const costs::Profile profile = costs::profile(tests::test_machine(1), network,
                                                {.first_input_gradient = true, .micro_batches = 4});
  EXPECT_EQ(profile.layers[0].forward_cycles, 3);
  EXPECT_EQ(profile.layers[0].input_gradient_cycles, 3);
  EXPECT_EQ(profile.layers[0].weight_gradient_cycles, 2);
  EXPECT_EQ(profile.values[0].activation_bytes, 8);
  EXPECT_EQ(profile.layers[0].weight_bytes, 30) << "weights are not divided";
}

}  // namespace
}  // namespace layerpipe::scheduler
