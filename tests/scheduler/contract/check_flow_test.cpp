#include "scheduler/contract/check_flow.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "tests/support/test_machine.hpp"
#include "workloads/base/error.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;
using namespace placement;
using testing::HasSubstr;

/// a -> b -> c, a + c -> d, one layer on each processor, with a half of delta(c) lent.
struct Shortcut {
  Profile profile;
  Schedule schedule;
};

Shortcut shortcut() {
  const auto network = read::parse_network(
      "batch: 1\n"
      "input: {channels: 1, height: 4, width: 4}\n"
      "layers:\n"
      "  - {name: a, type: conv2d, out_channels: 2, kernel_size: 1}\n"
      "  - {name: b, type: conv2d, out_channels: 3, kernel_size: 1}\n"
      "  - {name: c, type: conv2d, out_channels: 2, kernel_size: 1}\n"
      "  - {type: add, inputs: [c, a]}\n"
      "  - {name: d, type: conv2d, out_channels: 1, kernel_size: 1}\n",
      "shortcut.yaml");
  Shortcut result;
  result.profile = profile(test_machine(4), network);
  const std::int64_t half = result.profile.layers[2].input_gradient_cycles / 2;
  const double fraction = static_cast<double>(half) /
                          static_cast<double>(result.profile.layers[2].input_gradient_cycles);
  const Allocation allocation{{{0}, {1}, {2, {{3, fraction, half}}}, {3}}};
  result.schedule = layerpipe_schedule("test", result.profile, allocation, 4);
  return result;
}

std::string refusal(const Shortcut& shortcut) {
  try {
    check_flow(shortcut.schedule, shortcut.profile);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "accepted";
}

OpId find(const Schedule& schedule, OpKind kind, std::size_t layer) {
  const auto op = std::ranges::find_if(schedule.ops, [&](const Op& o) {
    return o.parts.front().kind == kind && o.parts.front().layer == layer;
  });
  return static_cast<OpId>(op - schedule.ops.begin());
}

template <class Condition>
void remove_edges(Schedule& schedule, Condition condition) {
  EXPECT_GT(std::erase_if(schedule.edges, condition), 0U);
}

TEST(CheckFlow, AcceptsAWholeSchedule) { EXPECT_EQ(refusal(shortcut()), "accepted"); }

TEST(CheckFlow, AForwardPassWaitsForEachValue) {
  Shortcut s = shortcut();
  const OpId user = find(s.schedule, OpKind::forward, 2);
  const OpId skipped = find(s.schedule, OpKind::forward, 0);
  remove_edges(s.schedule, [&](const Edge& e) { return e.to == user && e.from == skipped; });
  EXPECT_THAT(refusal(s), HasSubstr("op 5 (forward of c) does not wait for each value of op 0"));
}

TEST(CheckFlow, AValueOnItsOwnProcessorIsWaitedForToo) {
  Shortcut s = shortcut();
  const Allocation one_processor{{{0}, {0}, {0}, {0}}};
  s.schedule = layerpipe_schedule("test", s.profile, one_processor, 4);
  EXPECT_EQ(refusal(s), "accepted");
  const OpId user = find(s.schedule, OpKind::forward, 3);
  remove_edges(s.schedule,
               [&](const Edge& e) { return e.to == user && e.input == InputKind::activation; });
  EXPECT_THAT(refusal(s), HasSubstr("(forward of d) does not wait for"));
}

TEST(CheckFlow, AllBytesOfAValueAreSent) {
  Shortcut s = shortcut();
  for (Tensor& tensor : s.schedule.tensors) {
    if (tensor.producers == std::vector{find(s.schedule, OpKind::forward, 1)}) --tensor.bytes;
  }
  EXPECT_THAT(refusal(s), HasSubstr("with all its bytes"));
}

TEST(CheckFlow, NoValueIsSentToAProcessorTwice) {
  Shortcut s = shortcut();
  const OpId user = find(s.schedule, OpKind::forward, 1);
  const auto edge = std::ranges::find_if(s.schedule.edges, [&](const Edge& e) {
    return e.to == user && e.input == InputKind::activation;
  });
  ASSERT_NE(edge, s.schedule.edges.end());
  Edge again = *edge;
  s.schedule.tensors.push_back(s.schedule.tensors[again.tensor]);
  again.tensor = s.schedule.tensors.size() - 1;
  s.schedule.edges.push_back(again);
  EXPECT_THAT(refusal(s), HasSubstr("does not wait for each value of op 0 (forward of a) once"));
}

/// The sum at a lacks the shortcut's part, then layer b's, then a lent part's share.
TEST(CheckFlow, BackwardOperationsGetAllParts) {
  Shortcut s = shortcut();
  for (Tensor& tensor : s.schedule.tensors) {
    if (tensor.tensor_class == TensorClass::local) tensor.parts.clear();
  }
  EXPECT_THAT(refusal(s), HasSubstr("(weight_gradient of a) does not get all parts"));

  s = shortcut();
  for (Tensor& tensor : s.schedule.tensors) {
    if (tensor.tensor_class == TensorClass::local) tensor.producers.clear();
  }
  EXPECT_THAT(refusal(s), HasSubstr("(weight_gradient of a) does not get all parts"));

  s = shortcut();
  const OpId user = find(s.schedule, OpKind::weight_gradient, 1);
  remove_edges(s.schedule, [&](const Edge& e) {
    return e.to == user && e.input == InputKind::gradient && s.schedule.ops[e.from].processor == 3;
  });
  EXPECT_THAT(refusal(s), HasSubstr("(weight_gradient of b) does not get all parts"));
}

TEST(CheckFlow, TheLossComesFirst) {
  Shortcut s = shortcut();
  const OpId user = find(s.schedule, OpKind::weight_gradient, 3);
  remove_edges(s.schedule,
               [&](const Edge& e) { return e.to == user && e.input == InputKind::activation; });
  EXPECT_THAT(refusal(s), HasSubstr("(weight_gradient of d) does not get all parts"));
}

TEST(CheckFlow, OneMinibatchDoesNotWaitForItselfInACircle) {
  Shortcut s = shortcut();
  const OpId op = find(s.schedule, OpKind::weight_gradient, 0);
  s.schedule.edges.push_back({op, find(s.schedule, OpKind::forward, 0), 0});
  EXPECT_THAT(refusal(s), HasSubstr("wait for each other in a circle"));
}

}  // namespace
}  // namespace layerpipe::tests
