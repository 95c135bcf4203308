#include "scheduler/contract/check_schedule.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "scheduler/discipline/gpipe.hpp"
#include "scheduler/discipline/lower.hpp"
#include "tests/support/two_layer_schedule.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using discipline::lower_whole;
using testing::HasSubstr;

std::string refusal(const Schedule& schedule, const Profile& profile = two_layer_profile()) {
  try {
    check(schedule, profile);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Check, AcceptsAWholeSchedule) { EXPECT_EQ(refusal(two_layer_schedule()), "accepted"); }

TEST(Check, FractionsMustAddUp) {
  Schedule schedule = two_layer_schedule();
  schedule.ops[1].parts[0].fraction = 0.3;
  EXPECT_EQ(refusal(schedule),
            "schedule 'test': fractions of input_gradient of b add up to 1.05, expected 1");
  schedule.ops[1].parts[0].fraction = 0.25 + 1e-12;
  EXPECT_EQ(refusal(schedule), "accepted");
}

TEST(Check, FractionsMustBePositive) {
  Schedule schedule = two_layer_schedule();
  for (const double fraction : {0.0, -0.25, std::numeric_limits<double>::quiet_NaN()}) {
    schedule.ops[1].parts[0].fraction = fraction;
    EXPECT_THAT(refusal(schedule), HasSubstr("expected more than 0")) << fraction;
  }
}

TEST(Check, OperationsMustNotBeMissing) {
  Schedule schedule = two_layer_schedule();
  schedule.ops[4].parts.pop_back();
  EXPECT_THAT(refusal(schedule), HasSubstr("weight_gradient of b add up to 0, expected 1"));
}

TEST(Check, OperationsMustNotBeThereTwice) {
  Schedule schedule = two_layer_schedule();
  schedule.ops[4].parts.push_back(schedule.ops[0].parts[0]);
  EXPECT_THAT(refusal(schedule), HasSubstr("forward of a add up to 2, expected 1"));
}

TEST(Check, InputGradientsAreWhereTheyAreExpected) {
  Profile profile = two_layer_profile();
  profile.layers[0].has_input_gradient = true;
  EXPECT_THAT(refusal(two_layer_schedule(), profile),
              HasSubstr("input_gradient of a add up to 0, expected 1"));
  profile = two_layer_profile();
  profile.layers[1].has_input_gradient = false;
  EXPECT_THAT(refusal(two_layer_schedule(), profile),
              HasSubstr("input_gradient of b add up to 1, expected 0"));
}

TEST(Check, CyclesMustAddUp) {
  Schedule schedule = two_layer_schedule();
  schedule.ops[1].parts[0].cycles = 6;
  EXPECT_EQ(refusal(schedule),
            "schedule 'test': cycles of input_gradient of b add up to 21, expected 20");
}

/// The two-layer schedule with delta of b in 8 channels on 4 x 4 arrays: 2 column folds of
/// 2 x 4 + 4 + 2 - 2 = 12 cycles. 2 and 6 channels take one and two.
Schedule channel_schedule() {
  Schedule schedule = two_layer_schedule();
  schedule.split = Split::channels;
  schedule.ops[1].parts[0].cycles = 12;
  schedule.ops[4].parts[0].cycles = 24;
  return schedule;
}

Profile channel_profile() {
  Profile profile = two_layer_profile();
  profile.layers[1].input_gradient_cycles = 24;
  profile.layers[1].input_gradient_gemms = array::InputGradientGemms{
      .size = {4, 4}, .gemm = {2, 4, 8}, .groups = 1, .group_channels = 8, .samples = 2};
  return profile;
}

TEST(Check, PartsOfChannelsCostWhatTheyTakeByThemselves) {
  EXPECT_EQ(refusal(channel_schedule(), channel_profile()), "accepted");
  Schedule schedule = channel_schedule();
  schedule.ops[1].parts[0].cycles = 6;
  EXPECT_EQ(refusal(schedule, channel_profile()),
            "schedule 'test': a part of input_gradient of b takes 6 cycles, expected 12 for 2 of 8 "
            "channels");
  schedule = channel_schedule();
  schedule.split = Split::ideal;
  EXPECT_THAT(refusal(schedule, channel_profile()), HasSubstr("add up to 36, expected 24"));
}

TEST(Check, PartsOfChannelsAreWholeChannels) {
  Schedule schedule = channel_schedule();
  schedule.ops[1].parts[0].fraction = 0.3;
  schedule.ops[4].parts[0].fraction = 0.7;
  EXPECT_EQ(refusal(schedule, channel_profile()),
            "schedule 'test': a part of input_gradient of b is 0.3 of 8 channels, expected a whole "
            "number of them");
}

TEST(Check, LayersMustExist) {
  Profile profile = two_layer_profile();
  profile.layers.push_back({});
  EXPECT_THAT(refusal(two_layer_schedule(), profile), HasSubstr("2 layer names, expected 3"));
  Schedule schedule = two_layer_schedule();
  schedule.ops[0].parts[0].layer = 2;
  EXPECT_THAT(refusal(schedule), HasSubstr("is of layer 2, but there are 2 layers"));
}

TEST(Check, EveryOpStandsInTheOrderOfItsProcessor) {
  Schedule schedule = two_layer_schedule();
  std::get<StaticOrder>(schedule.orders[0]).entries.pop_back();
  EXPECT_EQ(
      refusal(schedule),
      "schedule 'test': op 2 (weight_gradient of a) stands 0 times in the order of processor 0,"
      " expected once");
}

TEST(Check, NoOpStandsTwiceInAnOrder) {
  Schedule schedule = two_layer_schedule();
  std::get<PriorityOrder>(schedule.orders[1]).entries.push_back({3, 2});
  EXPECT_THAT(refusal(schedule), HasSubstr("op 3 (forward of b) stands 2 times"));
}

TEST(Check, NoOpStandsInTheOrderOfAnotherProcessor) {
  Schedule schedule = two_layer_schedule();
  std::get<StaticOrder>(schedule.orders[2]).entries.push_back({0, 0});
  EXPECT_EQ(refusal(schedule),
            "schedule 'test': the order of processor 2 expects op 0 (forward of a) on processor 2, "
            "but it is on processor 0");
}

TEST(Check, OrdersNameOpsThatExist) {
  Schedule schedule = two_layer_schedule();
  std::get<PriorityOrder>(schedule.orders[1]).entries.push_back({5, 0});
  EXPECT_EQ(refusal(schedule),
            "schedule 'test': the order of processor 1 names op 5, but there are 5 ops");
}

TEST(Check, OpsLieOnProcessorsWithAnOrder) {
  Schedule schedule = two_layer_schedule();
  schedule.ops[0].processor = 3;
  EXPECT_THAT(refusal(schedule), HasSubstr("op 0 (forward of a) names processor 3"));
}

TEST(Check, EdgesJoinOpsThatExist) {
  Schedule schedule = two_layer_schedule();
  schedule.edges[1].from = 5;
  EXPECT_THAT(refusal(schedule), HasSubstr("edge 1 names op 5"));
  schedule.edges[1] = {3, 6};
  EXPECT_THAT(refusal(schedule), HasSubstr("edge 1 names op 6"));
}

TEST(Check, EdgesBetweenProcessorsWaitForATensor) {
  Schedule schedule = two_layer_schedule();
  schedule.edges[0].tensor = Edge::no_tensor;
  schedule.tensors[0] = schedule.tensors[1];
  EXPECT_EQ(refusal(schedule),
            "schedule 'test': edge 0 from op 0 (forward of a) to op 3 (forward of b) changes the "
            "processor without a tensor");
}

TEST(Check, EdgesNameTensorsThatExist) {
  Schedule schedule = two_layer_schedule();
  schedule.edges[0].tensor = 2;
  EXPECT_THAT(refusal(schedule), HasSubstr("edge 0 names tensor 2, but there are 2 tensors"));
}

TEST(Check, EdgesStartAtAProducerOfTheirTensor) {
  Schedule schedule = two_layer_schedule();
  schedule.edges[0].from = 2;
  EXPECT_THAT(refusal(schedule), HasSubstr("which is no origin of its tensor 0"));
}

TEST(Check, EdgesEndWhereTheirTensorGoes) {
  Schedule schedule = two_layer_schedule();
  schedule.tensors[0].destination = 2;
  EXPECT_THAT(refusal(schedule), HasSubstr("edge 0 expects op 3 (forward of b) on processor 2"));
}

TEST(Check, TensorsLeaveTheProcessorOfTheirProducers) {
  Schedule schedule = two_layer_schedule();
  schedule.tensors[1].producers.push_back(2);
  EXPECT_THAT(refusal(schedule), HasSubstr("tensor 1 expects op 2 (weight_gradient of a) on proc"));
}

TEST(Check, TensorsHaveProducersThatExist) {
  Schedule schedule = two_layer_schedule();
  schedule.tensors[1].producers = {5};
  EXPECT_THAT(refusal(schedule), HasSubstr("tensor 1 names op 5"));
  schedule.tensors[1].producers.clear();
  EXPECT_THAT(refusal(schedule), HasSubstr("tensor 1 has no producers"));
}

TEST(Check, TensorsJoinTwoProcessorsThatExist) {
  Schedule schedule = two_layer_schedule();
  schedule.tensors[0].destination = 0;
  EXPECT_THAT(refusal(schedule),
              HasSubstr("tensor 0 goes from processor 0 to 0, which does not fit its class"));
  schedule.tensors[0].destination = 3;
  EXPECT_THAT(refusal(schedule), HasSubstr("tensor 0 names processor 3"));
  schedule.tensors[0] = {.producers = {0}, .source = 4, .destination = 1};
  EXPECT_THAT(refusal(schedule), HasSubstr("tensor 0 names processor 4"));
}

TEST(Check, TensorsAreWaitedFor) {
  Schedule schedule = two_layer_schedule();
  schedule.tensors.push_back(schedule.tensors[0]);
  EXPECT_EQ(refusal(schedule), "schedule 'test': nothing waits for tensor 2");
}

TEST(Check, UpdatesEndAMinibatch) {
  Schedule schedule = two_layer_schedule();
  schedule.updates = {2, 5};
  EXPECT_THAT(refusal(schedule), HasSubstr("the list of updates names op 5"));
  schedule.updates.clear();
  EXPECT_THAT(refusal(schedule), HasSubstr("no updates"));
}

TEST(Check, NothingIsNegative) {
  Schedule schedule = two_layer_schedule();
  schedule.ops[4].parts[1].cycles = -1;
  EXPECT_THAT(refusal(schedule), HasSubstr("cycles of op 4"));
  schedule = two_layer_schedule();
  schedule.tensors[0].bytes = -1;
  EXPECT_THAT(refusal(schedule), HasSubstr("bytes of tensor 0 is -1, expected 0 or more"));
  schedule = two_layer_schedule();
  schedule.edges[4].tokens = -1;
  EXPECT_THAT(refusal(schedule), HasSubstr("tokens of edge 4 is -1"));
  schedule = two_layer_schedule();
  std::get<StaticOrder>(schedule.orders[0]).entries[1].lag = -1;
  EXPECT_THAT(refusal(schedule), HasSubstr("a lag in the order of processor 0 is -1"));
}

TEST(Check, OperationsHaveParts) {
  Schedule schedule = two_layer_schedule();
  schedule.ops[3].parts.clear();
  EXPECT_EQ(refusal(schedule), "schedule 'test': op 3 has no parts");
}

TEST(Check, MicroBatchesAreThoseThatThereAre) {
  Schedule schedule = two_layer_schedule();
  schedule.ops[0].parts[0].micro_batch = 1;
  EXPECT_EQ(refusal(schedule),
            "schedule 'test': op 0 (forward of a) is of micro-batch 1, but there are 1");
}

TEST(Check, OperationsAreOfOneMicroBatch) {
  Schedule schedule = two_layer_schedule();
  schedule.micro_batches = 2;
  schedule.ops[4].parts[1].micro_batch = 1;
  EXPECT_EQ(refusal(schedule),
            "schedule 'test': op 4 (input_gradient of b and 1 more part) is of two micro-batches");
}

/// The two layers with two micro-batches; `a` is op 0 and 3, `b` op 1 and 4.
Schedule two_micro_batches() {
  return lower_whole(two_layer_profile(), {.name = "test",
                                           .stages = {{0, 0, 0}, {1, 1, 1}},
                                           .processors = 2,
                                           .micro_batches = 2,
                                           .staleness = {0, 0},
                                           .program = discipline::gpipe({2, 2})});
}

TEST(Check, EveryMicroBatchIsWhole) {
  ASSERT_EQ(refusal(two_micro_batches()), "accepted");
  for (const std::size_t micro_batch : {0U, 1U}) {
    Schedule schedule = two_micro_batches();
    for (Op& op : schedule.ops) {
      if (op.parts[0].kind != OpKind::forward || op.parts[0].layer != 1) continue;
      if (op.parts[0].micro_batch == micro_batch) op.parts[0].fraction = 0.5;
    }
    EXPECT_EQ(refusal(schedule),
              fmt::format("schedule 'test': fractions of forward of b in micro-batch {} add up to "
                          "0.5, expected 1",
                          micro_batch));
  }
}

TEST(Check, OperationsOfOneMicroBatchDoNotStandForAnother) {
  Schedule schedule = two_micro_batches();
  for (Op& op : schedule.ops) {
    if (op.parts[0].kind == OpKind::forward && op.parts[0].layer == 0) op.parts[0].micro_batch = 0;
  }
  EXPECT_THAT(refusal(schedule),
              HasSubstr("forward of a in micro-batch 0 add up to 2, expected 1"));
}

TEST(Check, TensorsAreOfTheMicroBatchOfWhatMakesThem) {
  Schedule schedule = two_micro_batches();
  ASSERT_EQ(schedule.tensors[0].micro_batch, 0U);
  schedule.tensors[0].micro_batch = 1;
  EXPECT_EQ(refusal(schedule),
            "schedule 'test': tensor 0 of micro-batch 1 is made of op 0 (forward of a) of "
            "micro-batch 0");
  schedule.tensors[0].micro_batch = 2;
  EXPECT_THAT(refusal(schedule), HasSubstr("tensor 0 of micro-batch 2 is made of op 0"));
}

TEST(Check, OperationsTakeWhatIsOfTheirMicroBatch) {
  Schedule schedule = two_micro_batches();
  const auto edge_to = [&](std::size_t micro_batch) {
    return std::ranges::find_if(schedule.edges, [&](const Edge& edge) {
      return edge.tensor != Edge::no_tensor &&
             schedule.ops[edge.to].parts[0].kind == OpKind::forward &&
             schedule.ops[edge.to].parts[0].micro_batch == micro_batch;
    });
  };
  std::swap(edge_to(0)->to, edge_to(1)->to);
  EXPECT_THAT(refusal(schedule),
              HasSubstr("(forward of b) of micro-batch 1 waits for tensor 0 of micro-batch 0"));
}

TEST(Check, OnlyWeightsAreTakenForWeights) {
  Schedule schedule = two_layer_schedule();
  schedule.edges[0].input = InputKind::weights;
  EXPECT_EQ(refusal(schedule), "schedule 'test': edge 0 takes tensor 0 for what it is not");
}

TEST(CheckGraph, KnowsNoLayers) {
  Schedule schedule = two_layer_schedule();
  schedule.ops[4].parts.pop_back();
  schedule.layer_names.clear();
  EXPECT_NO_THROW(check_graph(schedule));
}

}  // namespace
}  // namespace layerpipe::tests
