#include "scheduler/discipline/layerpipe_schedule.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scheduler/contract/allocation_of.hpp"
#include "scheduler/contract/check_schedule.hpp"
#include "tests/support/test_profile.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;
using namespace placement;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// Three layers with outputs of 1000 and 600 bytes and 100, 200, 300 bytes of weights.
Profile three_layers() {
  return test_profile({{10, 0, 30, 1000, 100}, {20, 40, 50, 600, 200}, {60, 70, 80, 500, 300}});
}

/// Layers on p0, p1, p2; a quarter of delta(2) is lent to p2.
Allocation worked_example() { return {{{0}, {1, {{2, 0.25, 10}}}, {2}}}; }

/// "FP1", "delta2'", "delta2''", "G3"; layers count from 1.
std::string name(const Schedule& schedule, OpId id) {
  const Op& op = schedule.ops[id];
  const OpPart& part = op.parts.front();
  std::string text;
  switch (part.kind) {
    case OpKind::forward:
      text = "FP";
      break;
    case OpKind::input_gradient:
      text = "delta";
      break;
    case OpKind::weight_gradient:
      text = "G";
      break;
  }
  text += std::to_string(part.layer + 1);
  if (part.kind == OpKind::input_gradient && part.fraction < 1.0) {
    const auto forward = std::find_if(schedule.ops.begin(), schedule.ops.end(), [&](const Op& o) {
      return o.parts.front().kind == OpKind::forward && o.parts.front().layer == part.layer;
    });
    const bool is_lent = op.processor != forward->processor;
    text += is_lent ? "''" : "'";
  }
  return text;
}

std::string wire(const Schedule& schedule, const Edge& edge) {
  if (edge.tensor == Edge::no_tensor) return "local";
  const Tensor& tensor = schedule.tensors[edge.tensor];
  const char* tensor_class = tensor.tensor_class == TensorClass::mandatory            ? "mandatory"
                             : tensor.tensor_class == TensorClass::additional_weights ? "weights"
                                                                                      : "gradients";
  return fmt::format("p{}->p{} {} {}", tensor.source, tensor.destination, tensor.bytes,
                     tensor_class);
}

std::vector<std::string> edges(const Schedule& schedule) {
  std::vector<std::string> result;
  for (const Edge& edge : schedule.edges) {
    result.push_back(fmt::format("{} -> {}, {}, {}", name(schedule, edge.from),
                                 name(schedule, edge.to), edge.tokens, wire(schedule, edge)));
  }
  return result;
}

/// The design's worked example, edge by edge: M = 4, 2, 0.
TEST(LayerPipeSchedule, WorkedExample) {
  const Profile profile = three_layers();
  const Schedule schedule = layerpipe_schedule("layerpipe", profile, worked_example(), 3);
  check(schedule, profile);
  EXPECT_THAT(
      edges(schedule),
      UnorderedElementsAre(
          "FP1 -> FP2, 0, p0->p1 1000 mandatory", "FP2 -> FP3, 0, p1->p2 600 mandatory",
          "FP3 -> delta3, 0, local", "FP3 -> G3, 0, local", "delta3 -> delta2'', 0, local",
          "delta3 -> delta2', 0, p2->p1 600 mandatory", "delta3 -> G2, 0, p2->p1 600 mandatory",
          "delta2' -> G1, 0, p1->p0 750 mandatory", "delta2'' -> G1, 0, p2->p0 250 mandatory",
          "G2 -> delta2'', 3, p1->p2 50 weights", "G1 -> FP1, 5, local", "G2 -> FP2, 3, local",
          "G2 -> delta2', 3, local", "G3 -> FP3, 1, local", "G3 -> delta3, 1, local"));
  EXPECT_EQ(schedule.tensors.size(), 6U);  // the gradient for delta2' and G2 is sent once
}

// Whatever uses the weights of layer l waits for the update before the M(l) latest; nothing else
// changes.
TEST(LayerPipeSchedule, GivenDelaysAreTokensOfUpdates) {
  const Profile profile = three_layers();
  Allocation allocation = worked_example();
  allocation.delays = Staleness{3, 1, 0};
  const Schedule schedule = layerpipe_schedule("layerpipe", profile, allocation, 3);
  check(schedule, profile);
  std::vector<std::string> expected =
      edges(layerpipe_schedule("layerpipe", profile, worked_example(), 3));
  for (std::string& edge : expected) {
    if (edge == "G1 -> FP1, 5, local") edge = "G1 -> FP1, 4, local";
    if (edge == "G2 -> FP2, 3, local") edge = "G2 -> FP2, 2, local";
    if (edge == "G2 -> delta2', 3, local") edge = "G2 -> delta2', 2, local";
    if (edge == "G2 -> delta2'', 3, p1->p2 50 weights")
      edge = "G2 -> delta2'', 2, p1->p2 50 weights";
  }
  EXPECT_EQ(edges(schedule), expected);
  EXPECT_EQ(std::get<Staleness>(allocation_of(schedule).delays), (Staleness{3, 1, 0}));
}

TEST(LayerPipeSchedule, LentResultsAreAdditionalWhereNoBoundaryLies) {
  // Layers 1 and 2 on p0, layer 3 on p1: f of a(1)'s gradient goes p1->p0 all the same.
  const Allocation allocation{{{0}, {0, {{1, 0.25, 10}}}, {1}}};
  const Schedule schedule = layerpipe_schedule("layerpipe", three_layers(), allocation, 2);
  EXPECT_THAT(edges(schedule), testing::Contains("delta2'' -> G1, 0, p1->p0 250 gradients"));
  EXPECT_EQ(schedule.stages, 2U);
}

TEST(LayerPipeSchedule, SharesOfASplitGradientMeetAtTheNextBorrower) {
  // Four layers on four processors, delta(2) and delta(3) both split: the part of delta(3) on p3
  // sends its share of the gradient to p2 for delta(2)''.
  const Profile profile =
      test_profile({{1, 0, 1, 999, 9}, {1, 8, 1, 601, 9}, {1, 8, 1, 500, 9}, {1, 1, 1, 400, 9}});
  const Allocation allocation{{{0}, {1, {{2, 0.25, 2}}}, {2, {{3, 0.5, 4}}}, {3}}};
  const Schedule schedule = layerpipe_schedule("layerpipe", profile, allocation, 4);
  check(schedule, profile);
  const auto all = edges(schedule);
  for (const char* edge :
       {"delta3'' -> delta2'', 0, p3->p2 300 gradients",
        "delta3'' -> delta2', 0, p3->p1 300 mandatory", "delta3'' -> G2, 0, p3->p1 300 mandatory",
        "delta3' -> delta2', 0, p2->p1 301 mandatory", "delta3' -> delta2'', 0, local"}) {
    EXPECT_THAT(all, testing::Contains(edge));
  }
}

/// Layers 1 and 2 on p0, layer 3 on p2, and p1 has no layer: p2 computes a quarter of delta(2) and
/// p1 the rest. Both send their shares to p0, where a pipeline of whole layers would send nothing.
/// p1 is a stage, so that M = 4, 4, 0.
TEST(LayerPipeSchedule, APartLiesOnAProcessorWithoutLayers) {
  const Profile profile = three_layers();
  const Allocation allocation{{{0}, {0, {{1, 0.75, 30}, {2, 0.25, 10}}}, {2}}};
  const Schedule schedule = layerpipe_schedule("layerpipe", profile, allocation, 3);
  check(schedule, profile);
  EXPECT_THAT(
      edges(schedule),
      UnorderedElementsAre(
          "FP1 -> FP2, 0, local", "FP2 -> FP3, 0, p0->p2 600 mandatory", "FP3 -> delta3, 0, local",
          "FP3 -> G3, 0, local", "delta3 -> delta2'', 0, p2->p1 600 gradients",
          "delta3 -> delta2'', 0, local", "delta3 -> G2, 0, p2->p0 600 mandatory",
          "delta2'' -> G1, 0, p1->p0 750 gradients", "delta2'' -> G1, 0, p2->p0 250 gradients",
          "G2 -> delta2'', 5, p0->p1 150 weights", "G2 -> delta2'', 5, p0->p2 50 weights",
          "G1 -> FP1, 5, local", "G2 -> FP2, 5, local", "G3 -> FP3, 1, local",
          "G3 -> delta3, 1, local"));
  EXPECT_EQ(schedule.stages, 3U);
  EXPECT_EQ(allocation_of(schedule).layers[1].borrowed.size(), 2U);
}

/// Where layer 1 lies on a processor of its own, the shares stand in for what layer 2 would send.
TEST(LayerPipeSchedule, SharesOfPartsApartAreMandatoryAcrossABoundary) {
  const Allocation allocation{{{0}, {1, {{2, 0.75, 30}, {3, 0.25, 10}}}, {3}}};
  const Schedule schedule = layerpipe_schedule("layerpipe", three_layers(), allocation, 4);
  check(schedule, three_layers());
  EXPECT_THAT(edges(schedule), testing::IsSupersetOf({"delta2'' -> G1, 0, p2->p0 750 mandatory",
                                                      "delta2'' -> G1, 0, p3->p0 250 mandatory"}));
}

/// p2 has the output of layer 2, its own input, and p1 has not.
TEST(LayerPipeSchedule, APartApartNeedsMoreOfWeightlessLayers) {
  Profile profile = three_layers();
  profile.layers[1].weightless_backward_bytes = 77;
  profile.layers[1].weightless_apart_bytes = 99;
  const Allocation allocation{{{0}, {0, {{1, 0.75, 30}, {2, 0.25, 10}}}, {2}}};
  EXPECT_THAT(edges(layerpipe_schedule("layerpipe", profile, allocation, 3)),
              testing::IsSupersetOf({"FP2 -> delta2'', 0, p0->p1 99 gradients",
                                     "FP2 -> delta2'', 0, p0->p2 77 gradients"}));
}

/// Samples need all weights wherever they are computed.
TEST(LayerPipeSchedule, SamplesApartTakeAllWeights) {
  const Placement parted{0, {{1, 0.75, 1}, {2, 0.25, 1}}};
  EXPECT_THAT(borrowed_weight_bytes(parted, 201, Split::batch), ElementsAre(201, 201));
  EXPECT_THAT(borrowed_weight_bytes(parted, 201, Split::channels), ElementsAre(151, 50));
}

/// The worked example, with delta(2) of 3 channels or 4 samples on 4 x 4 arrays, weight-stationary:
/// one fold of 2 x 4 + 4 + 20 - 2 = 30 cycles.
Profile divisible_layers() {
  Profile profile = three_layers();
  profile.layers[1].input_gradient_cycles = 30;
  profile.layers[1].input_gradient_gemms = array::InputGradientGemms{
      .size = {4, 4}, .gemm = {20, 4, 3}, .groups = 1, .group_channels = 3, .samples = 4};
  profile.layers[2].input_gradient_cycles = 2;  // the GEMM 1 x 1 x 1 on a 1 x 1 array
  profile.layers[2].input_gradient_gemms = array::InputGradientGemms{};
  profile.layers[1].weight_bytes = 201;
  profile.values[0].gradient_bytes = 999;
  return profile;
}

std::int64_t cycles_of(const Schedule& schedule, const std::string& operation) {
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    if (name(schedule, op) == operation) return cycles(schedule.ops[op]);
  }
  return -1;
}

// 1 of 3 channels: a third of the weights and of the result, and a fold for either part.
TEST(LayerPipeSchedule, LentChannelsTakeTheirOwnWeights) {
  const Profile profile = divisible_layers();
  const Allocation allocation{{{0}, {1, {{2, 1.0 / 3.0, 30}}}, {2}}, Split::channels};
  const Schedule schedule = layerpipe_schedule("layerpipe", profile, allocation, 3);
  check(schedule, profile);
  EXPECT_EQ(cycles_of(schedule, "delta2'"), 30);
  EXPECT_EQ(cycles_of(schedule, "delta2''"), 30);
  const auto all = edges(schedule);
  for (const char* edge :
       {"G2 -> delta2'', 3, p1->p2 67 weights", "delta2' -> G1, 0, p1->p0 666 mandatory",
        "delta2'' -> G1, 0, p2->p0 333 mandatory"}) {
    EXPECT_THAT(all, testing::Contains(edge));
  }
}

// 1 of 4 samples, with 5 of 20 positions, streams in 15 cycles, the others in 25; all weights go.
TEST(LayerPipeSchedule, LentSamplesTakeAllWeights) {
  Profile profile = divisible_layers();
  profile.values[0].gradient_bytes = 1000;
  const Allocation allocation{{{0}, {1, {{2, 0.25, 15}}}, {2}}, Split::batch};
  const Schedule schedule = layerpipe_schedule("layerpipe", profile, allocation, 3);
  check(schedule, profile);
  EXPECT_EQ(cycles_of(schedule, "delta2'"), 25);
  EXPECT_EQ(cycles_of(schedule, "delta2''"), 15);
  const auto all = edges(schedule);
  for (const char* edge :
       {"G2 -> delta2'', 3, p1->p2 201 weights", "delta2' -> G1, 0, p1->p0 750 mandatory",
        "delta2'' -> G1, 0, p2->p0 250 mandatory"}) {
    EXPECT_THAT(all, testing::Contains(edge));
  }
}

TEST(LayerPipeSchedule, TheBorrowerGetsWhatWeightlessLayersNeed) {
  Profile profile = three_layers();
  profile.layers[1].weightless_backward_bytes = 77;
  const Schedule schedule = layerpipe_schedule("layerpipe", profile, worked_example(), 3);
  EXPECT_THAT(edges(schedule), testing::Contains("FP2 -> delta2'', 0, p1->p2 77 gradients"));
}

TEST(LayerPipeSchedule, DeltaBeforeForwardBeforeWeightGradient) {
  const Schedule schedule = layerpipe_schedule("layerpipe", three_layers(), worked_example(), 3);
  std::vector<std::string> order;
  for (const auto& entry : std::get<PriorityOrder>(schedule.orders[2]).entries) {
    order.push_back(fmt::format("{}:{}", entry.urgency, name(schedule, entry.op)));
  }
  EXPECT_THAT(order, ElementsAre("0:delta3", "0:delta2''", "1:FP3", "2:G3"));
}

TEST(LayerPipeSchedule, IdleProcessorsAreNoStages) {
  const Schedule schedule = layerpipe_schedule("layerpipe", three_layers(), worked_example(), 5);
  EXPECT_EQ(schedule.stages, 3U);
  EXPECT_EQ(schedule.orders.size(), 5U);
  EXPECT_THAT(edges(schedule), testing::Contains("G1 -> FP1, 5, local"));
}

TEST(WholeShare, IsRoundedDown) {
  EXPECT_EQ(whole_share(0.25, 999), 249);
  EXPECT_EQ(whole_share(1.0, 999), 999);
  EXPECT_EQ(whole_share(0.0, 999), 0);
  // In doubles, 49 x (1 / 49) is below 1; 7 / 25 x 25e8 is 7e8.
  EXPECT_EQ(whole_share(1.0 / 49.0, 49), 1);
  EXPECT_EQ(whole_share(7.0 / 25.0, 2500000000), 700000000);
  // The largest count of cycles, and the share of all but one of them.
  constexpr std::int64_t most = 100'000'000'000'000;
  EXPECT_EQ(whole_share(static_cast<double>(most - 1) / static_cast<double>(most), most), most - 1);
}

TEST(Shares, AddUpToAll) {
  const Shares some = shares({0, {{1, 0.25, 1}, {2, 0.5, 2}}}, 999);
  EXPECT_EQ(some.kept, 251);
  EXPECT_THAT(some.borrowed, ElementsAre(249, 499));
  // 1 - 1 / 49 and 1 / 49 add up to 1: nothing stays, and the first part has what is left.
  const Shares none = shares({0, {{1, 48.0 / 49.0, 48}, {2, 1.0 / 49.0, 1}}}, 50);
  EXPECT_EQ(none.kept, 0);
  EXPECT_THAT(none.borrowed, ElementsAre(49, 1));
}

}  // namespace
}  // namespace layerpipe::tests
