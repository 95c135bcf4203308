#include "scheduler/contract/schedule.hpp"

#include <gmock/gmock.h>

#include "tests/support/two_layer_schedule.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using testing::ElementsAre;

TEST(OpKind, Names) {
  EXPECT_EQ(to_string(OpKind::forward), "forward");
  EXPECT_EQ(to_string(OpKind::input_gradient), "input_gradient");
  EXPECT_EQ(to_string(OpKind::weight_gradient), "weight_gradient");
}

TEST(Schedule, CyclesOfPartsAddUp) {
  EXPECT_EQ(cycles(two_layer_schedule().ops[4]), 15 + 7);
  EXPECT_EQ(cycles(Op{}), 0);
}

TEST(Schedule, CyclesOfProcessors) {
  EXPECT_THAT(processor_cycles(two_layer_schedule()), ElementsAre(10 + 5 + 20, 12 + 15 + 7, 0));
  EXPECT_EQ(slowest_processor_cycles(two_layer_schedule()), 35);
  EXPECT_EQ(slowest_processor_cycles(Schedule{}), 0);
}

TEST(Schedule, CyclesOfProcessorsNeedTheirOrders) {
  Schedule schedule = two_layer_schedule();
  schedule.orders.pop_back();
  schedule.orders.pop_back();
  EXPECT_THROW((void)processor_cycles(schedule), std::out_of_range);
}

TEST(Schedule, DescribesOps) {
  Schedule schedule = two_layer_schedule();
  EXPECT_EQ(describe(schedule, 1), "op 1 (input_gradient of b)");
  EXPECT_EQ(describe(schedule, 4), "op 4 (input_gradient of b and 1 more part)");
  schedule.ops[4].parts.push_back({OpKind::forward, 0, 1.0, 1});
  EXPECT_EQ(describe(schedule, 4), "op 4 (input_gradient of b and 2 more parts)");
  schedule.layer_names.clear();
  EXPECT_EQ(describe(schedule, 1), "op 1 (input_gradient of layer 1)");
  schedule.ops[0].parts.clear();
  EXPECT_EQ(describe(schedule, 0), "op 0");
}

}  // namespace
}  // namespace layerpipe::tests
