#include "scheduler/theory/critical_weight_gradients.hpp"

#include <gmock/gmock.h>

#include "scheduler/contract/allocation_of.hpp"
#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/placement/allocation.hpp"
#include "scheduler/placement/priority.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace placement;
using namespace scheduler;
using namespace theory;
using testing::ElementsAre;

// FP of all layers, delta of all but the first, G of the first: 10 + 20 + 60 + 40 + 70 + 30.
TEST(CriticalLoop, PassesTheWeightGradientOfTheFirstLayer) {
  EXPECT_THAT(
      weight_gradients_on_critical_loop(test_profile({{10, 0, 30}, {20, 40, 50}, {60, 70, 80}})),
      ElementsAre(true, false, false));
}

// G(2) = 100 takes longer than delta(2), FP(1) and G(1) together, 40 + 10 + 30; 80 would not.
TEST(CriticalLoop, PassesALongWeightGradientBehindIt) {
  EXPECT_THAT(
      weight_gradients_on_critical_loop(test_profile({{10, 0, 30}, {20, 40, 100}, {60, 70, 80}})),
      ElementsAre(false, true, false));
  EXPECT_THAT(
      weight_gradients_on_critical_loop(test_profile({{10, 0, 30}, {20, 40, 79}, {60, 70, 80}})),
      ElementsAre(true, false, false));
}

TEST(CriticalLoop, IsNoneWhereNothingTakesTime) {
  EXPECT_THAT(weight_gradients_on_critical_loop(test_profile({{0, 0, 0}, {0, 0, 0}})),
              ElementsAre(false, false));
}

int urgency(const Schedule& schedule, OpKind kind, std::size_t layer) {
  for (const Order& order : schedule.orders) {
    const auto* priorities = std::get_if<PriorityOrder>(&order);
    if (priorities == nullptr) continue;
    for (const auto& entry : priorities->entries) {
      const OpPart& part = schedule.ops[entry.op].parts.front();
      if (part.kind == kind && part.layer == layer) return entry.urgency;
    }
  }
  return -1;
}

TEST(PriorityOption, RanksCriticalWeightGradientsWithInputGradients) {
  const Profile profile = test_profile({{10, 0, 30}, {20, 40, 50}, {60, 70, 80}});
  for (const char* name : {"layerpipe", "layerpipe-strict", "layerpipe-optimal"}) {
    for (const Priority priority : {Priority::fixed, Priority::critical_loop}) {
      SchedulerOptions options;
      options.priority = priority;
      const Schedule schedule =
          find_scheduler(name).plan(profile, test_machine(2), options).schedule;
      const bool is_critical = priority == Priority::critical_loop;
      EXPECT_EQ(urgency(schedule, OpKind::weight_gradient, 0), is_critical ? 0 : 2);
      EXPECT_EQ(urgency(schedule, OpKind::weight_gradient, 1), 2);
      EXPECT_EQ(urgency(schedule, OpKind::forward, 0), 1);
      EXPECT_EQ(urgency(schedule, OpKind::input_gradient, 2), 0);
      EXPECT_EQ(allocation_of(schedule).priority, priority);
    }
  }
}

}  // namespace
}  // namespace layerpipe::tests
