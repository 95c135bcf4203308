#include "scheduler/schedule.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <vector>

#include "workloads/base/error.hpp"

namespace layerpipe::tests {
namespace {

using namespace scheduler;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<bool> only_second_layer = {false, true};

/// Two layers on two of three processors; a quarter of the second layer's input gradient is lent
/// back to processor 0.
///
///   op 0  FP a            processor 0, static
///   op 1  1/4 delta b     processor 0
///   op 2  G a             processor 0
///   op 3  FP b            processor 1, priority
///   op 4  3/4 delta b, G b
Schedule good() {
  Schedule schedule;
  schedule.name = "test";
  schedule.layer_names = {"a", "b"};
  schedule.ops = {
      {{{OpKind::forward, 0, 1.0, 10}}, 0},
      {{{OpKind::input_gradient, 1, 0.25, 5}}, 0},
      {{{OpKind::weight_gradient, 0, 1.0, 20}}, 0},
      {{{OpKind::forward, 1, 1.0, 12}}, 1},
      {{{OpKind::input_gradient, 1, 0.75, 15}, {OpKind::weight_gradient, 1, 1.0, 7}}, 1}};
  schedule.tensors = {{.producers = {0}, .source = 0, .destination = 1, .bytes = 64},
                      {.producers = {3, 4}, .source = 1, .destination = 0, .bytes = 0}};
  schedule.edges = {{0, 3, 0, InputKind::activation, 0},
                    {3, 4},
                    {4, 1, 0, InputKind::gradient, 1},
                    {3, 2, 1, InputKind::gradient, 1},
                    {2, 0, 3, InputKind::weight_version}};
  schedule.orders = {StaticOrder{{{0, 0}, {1, 1}, {2, 1}}}, PriorityOrder{{{4, 0}, {3, 1}}},
                     StaticOrder{}};
  schedule.updates = {2, 4};
  schedule.stages = 2;
  return schedule;
}

std::string refusal(const Schedule& schedule,
                    const std::vector<bool>& has_input_gradient = only_second_layer) {
  try {
    check(schedule, has_input_gradient);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OpKind, Names) {
  EXPECT_EQ(to_string(OpKind::forward), "forward");
  EXPECT_EQ(to_string(OpKind::input_gradient), "input_gradient");
  EXPECT_EQ(to_string(OpKind::weight_gradient), "weight_gradient");
}

TEST(Schedule, CyclesOfPartsAddUp) {
  EXPECT_EQ(cycles(good().ops[4]), 15 + 7);
  EXPECT_EQ(cycles(Op{}), 0);
}

TEST(Schedule, CyclesOfProcessors) {
  EXPECT_THAT(processor_cycles(good()), ElementsAre(10 + 5 + 20, 12 + 15 + 7, 0));
  EXPECT_EQ(slowest_processor_cycles(good()), 35);
  EXPECT_EQ(slowest_processor_cycles(Schedule{}), 0);
}

TEST(Schedule, CyclesOfProcessorsNeedTheirOrders) {
  Schedule schedule = good();
  schedule.orders.pop_back();
  schedule.orders.pop_back();
  EXPECT_THROW((void)processor_cycles(schedule), InternalError);
}

TEST(Schedule, DescribesOps) {
  Schedule schedule = good();
  EXPECT_EQ(describe(schedule, 1), "op 1 (input_gradient of b)");
  EXPECT_EQ(describe(schedule, 4), "op 4 (input_gradient of b and 1 more part)");
  schedule.ops[4].parts.push_back({OpKind::forward, 0, 1.0, 1});
  EXPECT_EQ(describe(schedule, 4), "op 4 (input_gradient of b and 2 more parts)");
  schedule.layer_names.clear();
  EXPECT_EQ(describe(schedule, 1), "op 1 (input_gradient of layer 1)");
  schedule.ops[0].parts.clear();
  EXPECT_EQ(describe(schedule, 0), "op 0");
  EXPECT_THROW((void)describe(schedule, 5), InternalError);
}

TEST(Check, AcceptsAWholeSchedule) { EXPECT_EQ(refusal(good()), "accepted"); }

TEST(Check, FractionsMustAddUp) {
  Schedule schedule = good();
  schedule.ops[1].parts[0].fraction = 0.3;
  EXPECT_EQ(refusal(schedule),
            "schedule 'test': fractions of input_gradient of b add up to 1.05, expected 1");
  schedule.ops[1].parts[0].fraction = 0.25 + 1e-12;
  EXPECT_EQ(refusal(schedule), "accepted");
}

TEST(Check, FractionsMustBePositive) {
  Schedule schedule = good();
  for (const double fraction : {0.0, -0.25, std::numeric_limits<double>::quiet_NaN()}) {
    schedule.ops[1].parts[0].fraction = fraction;
    EXPECT_THAT(refusal(schedule), HasSubstr("expected more than 0")) << fraction;
  }
}

TEST(Check, OperationsMustNotBeMissing) {
  Schedule schedule = good();
  schedule.ops[4].parts.pop_back();
  EXPECT_THAT(refusal(schedule), HasSubstr("weight_gradient of b add up to 0, expected 1"));
}

TEST(Check, OperationsMustNotBeThereTwice) {
  Schedule schedule = good();
  schedule.ops[4].parts.push_back(schedule.ops[0].parts[0]);
  EXPECT_THAT(refusal(schedule), HasSubstr("forward of a add up to 2, expected 1"));
}

TEST(Check, InputGradientsAreWhereTheyAreExpected) {
  EXPECT_THAT(refusal(good(), {true, true}),
              HasSubstr("input_gradient of a add up to 0, expected 1"));
  EXPECT_THAT(refusal(good(), {false, false}),
              HasSubstr("input_gradient of b add up to 1, expected 0"));
}

TEST(Check, LayersMustExist) {
  EXPECT_THAT(refusal(good(), {false, true, true}), HasSubstr("2 layer names, expected 3"));
  Schedule schedule = good();
  schedule.ops[0].parts[0].layer = 2;
  EXPECT_THAT(refusal(schedule), HasSubstr("is of layer 2, but there are 2 layers"));
}

TEST(Check, EveryOpStandsInTheOrderOfItsProcessor) {
  Schedule schedule = good();
  std::get<StaticOrder>(schedule.orders[0]).entries.pop_back();
  EXPECT_EQ(
      refusal(schedule),
      "schedule 'test': op 2 (weight_gradient of a) stands 0 times in the order of processor 0,"
      " expected once");
}

TEST(Check, NoOpStandsTwiceInAnOrder) {
  Schedule schedule = good();
  std::get<PriorityOrder>(schedule.orders[1]).entries.push_back({3, 2});
  EXPECT_THAT(refusal(schedule), HasSubstr("op 3 (forward of b) stands 2 times"));
}

TEST(Check, NoOpStandsInTheOrderOfAnotherProcessor) {
  Schedule schedule = good();
  std::get<StaticOrder>(schedule.orders[2]).entries.push_back({0, 0});
  EXPECT_EQ(refusal(schedule),
            "schedule 'test': the order of processor 2 expects op 0 (forward of a) on processor 2, "
            "but it is on processor 0");
}

TEST(Check, OrdersNameOpsThatExist) {
  Schedule schedule = good();
  std::get<PriorityOrder>(schedule.orders[1]).entries.push_back({5, 0});
  EXPECT_EQ(refusal(schedule),
            "schedule 'test': the order of processor 1 names op 5, but there are 5 ops");
}

TEST(Check, OpsLieOnProcessorsWithAnOrder) {
  Schedule schedule = good();
  schedule.ops[0].processor = 3;
  EXPECT_THAT(refusal(schedule), HasSubstr("op 0 (forward of a) names processor 3"));
}

TEST(Check, EdgesJoinOpsThatExist) {
  Schedule schedule = good();
  schedule.edges[1].from = 5;
  EXPECT_THAT(refusal(schedule), HasSubstr("edge 1 names op 5"));
  schedule.edges[1] = {3, 6};
  EXPECT_THAT(refusal(schedule), HasSubstr("edge 1 names op 6"));
}

TEST(Check, EdgesBetweenProcessorsWaitForATensor) {
  Schedule schedule = good();
  schedule.edges[0].tensor = Edge::no_tensor;
  schedule.tensors[0] = schedule.tensors[1];
  EXPECT_EQ(refusal(schedule),
            "schedule 'test': edge 0 from op 0 (forward of a) to op 3 (forward of b) changes the "
            "processor without a tensor");
}

TEST(Check, EdgesNameTensorsThatExist) {
  Schedule schedule = good();
  schedule.edges[0].tensor = 2;
  EXPECT_THAT(refusal(schedule), HasSubstr("edge 0 names tensor 2, but there are 2 tensors"));
}

TEST(Check, EdgesStartAtAProducerOfTheirTensor) {
  Schedule schedule = good();
  schedule.edges[0].from = 2;
  EXPECT_THAT(refusal(schedule), HasSubstr("which is no producer of its tensor 0"));
}

TEST(Check, EdgesEndWhereTheirTensorGoes) {
  Schedule schedule = good();
  schedule.tensors[0].destination = 2;
  EXPECT_THAT(refusal(schedule), HasSubstr("edge 0 expects op 3 (forward of b) on processor 2"));
}

TEST(Check, TensorsLeaveTheProcessorOfTheirProducers) {
  Schedule schedule = good();
  schedule.tensors[1].producers.push_back(2);
  EXPECT_THAT(refusal(schedule), HasSubstr("tensor 1 expects op 2 (weight_gradient of a) on proc"));
}

TEST(Check, TensorsHaveProducersThatExist) {
  Schedule schedule = good();
  schedule.tensors[1].producers = {5};
  EXPECT_THAT(refusal(schedule), HasSubstr("tensor 1 names op 5"));
  schedule.tensors[1].producers.clear();
  EXPECT_THAT(refusal(schedule), HasSubstr("tensor 1 has no producers"));
}

TEST(Check, TensorsJoinTwoProcessorsThatExist) {
  Schedule schedule = good();
  schedule.tensors[0].destination = 0;
  EXPECT_THAT(refusal(schedule), HasSubstr("tensor 0 stays on processor 0"));
  schedule.tensors[0].destination = 3;
  EXPECT_THAT(refusal(schedule), HasSubstr("tensor 0 names processor 3"));
  schedule.tensors[0] = {.producers = {0}, .source = 4, .destination = 1};
  EXPECT_THAT(refusal(schedule), HasSubstr("tensor 0 names processor 4"));
}

TEST(Check, TensorsAreWaitedFor) {
  Schedule schedule = good();
  schedule.tensors.push_back(schedule.tensors[0]);
  EXPECT_EQ(refusal(schedule), "schedule 'test': no edge waits for tensor 2");
}

TEST(Check, UpdatesEndAMinibatch) {
  Schedule schedule = good();
  schedule.updates = {2, 5};
  EXPECT_THAT(refusal(schedule), HasSubstr("the list of updates names op 5"));
  schedule.updates.clear();
  EXPECT_THAT(refusal(schedule), HasSubstr("no updates"));
}

TEST(Check, NothingIsNegative) {
  Schedule schedule = good();
  schedule.ops[4].parts[1].cycles = -1;
  EXPECT_THAT(refusal(schedule), HasSubstr("cycles of op 4"));
  schedule = good();
  schedule.tensors[0].bytes = -1;
  EXPECT_THAT(refusal(schedule), HasSubstr("bytes of tensor 0 is -1, expected 0 or more"));
  schedule = good();
  schedule.edges[4].tokens = -1;
  EXPECT_THAT(refusal(schedule), HasSubstr("tokens of edge 4 is -1"));
  schedule = good();
  std::get<StaticOrder>(schedule.orders[0]).entries[1].lag = -1;
  EXPECT_THAT(refusal(schedule), HasSubstr("a lag in the order of processor 0 is -1"));
}

TEST(CheckGraph, KnowsNoLayers) {
  Schedule schedule = good();
  schedule.ops[4].parts.pop_back();
  schedule.layer_names.clear();
  EXPECT_NO_THROW(check_graph(schedule));
}

}  // namespace
}  // namespace layerpipe::tests
