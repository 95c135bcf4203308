#include <gtest/gtest.h>

#include "scheduler/contract/allocation_of.hpp"
#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/given_scheduler.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace placement;
using namespace scheduler;

// 30 of 101 cycles of delta(2) on p1: 71 stay, 10 + 10 + 101 are those of layer 3.
TEST(GivenAllocation, IsScheduledInLayerPipesOrder) {
  const Profile profile = test_profile({{10, 0, 10}, {10, 101, 10}, {10, 101, 10}});
  const Scheduler scheduler =
      scheduler_of({OrderOf::layerpipe, {{{0}, {0, {{1, 30.0 / 101.0, 30}}}, {1}}, Split::ideal}});
  EXPECT_EQ(scheduler.name, "layerpipe");
  const Plan plan = scheduler.plan(profile, test_machine(3), {});
  check(plan.schedule, profile);
  EXPECT_EQ(plan.schedule.name, "layerpipe");
  EXPECT_FALSE(plan.target_cycles);
  EXPECT_EQ(processor_cycles(plan.schedule),
            (std::vector<std::int64_t>{20 + 20 + 71, 30 + 121, 0}));
  EXPECT_TRUE(std::holds_alternative<PriorityOrder>(plan.schedule.orders[0]));
}

TEST(GivenAllocation, IsScheduledInPipeDreamsOrder) {
  const Profile profile = test_profile({{10, 0, 10}, {10, 101, 10}, {10, 101, 10}});
  const Scheduler scheduler =
      scheduler_of({OrderOf::pipedream, {{{0}, {1}, {1}}, Split::channels}});
  EXPECT_EQ(scheduler.name, "pipedream");
  const Plan plan = scheduler.plan(profile, test_machine(2), {});
  check(plan.schedule, profile);
  EXPECT_EQ(processor_cycles(plan.schedule), (std::vector<std::int64_t>{20, 242}));
  EXPECT_TRUE(std::holds_alternative<StaticOrder>(plan.schedule.orders[0]));
}

// Of the allocation, unless the options have others.
TEST(GivenAllocation, HasItsOwnDelays) {
  const Profile profile = test_profile({{10, 0, 10}, {10, 101, 10}, {10, 101, 10}});
  const Scheduler scheduler =
      scheduler_of({OrderOf::layerpipe, {{{0}, {0}, {1}}, Split::ideal, DelayRule::stages_after}});
  EXPECT_TRUE(scheduler.reads(SchedulerOption::delays));
  const auto delays = [&](const SchedulerOptions& options) {
    const Plan plan = scheduler.plan(profile, test_machine(2), options);
    return std::get<Staleness>(allocation_of(plan.schedule).delays);
  };
  EXPECT_EQ(delays({}), (Staleness{1, 1, 0}));
  EXPECT_EQ(delays({.delays = DelayRule::twice_stages_after}), (Staleness{2, 2, 0}));
  EXPECT_EQ(delays({.delays = Staleness{0, 5, 3}}), (Staleness{0, 5, 3}));
}

TEST(GivenAllocation, RefusesDelaysInPipeDreamsOrder) {
  const Profile profile = test_profile({{10, 0, 10}, {10, 101, 10}});
  const Scheduler scheduler = scheduler_of({OrderOf::pipedream, {{{0}, {1}}, Split::ideal}});
  EXPECT_FALSE(scheduler.reads(SchedulerOption::delays));
  EXPECT_THROW((void)scheduler.plan(profile, test_machine(2), {.delays = Staleness{1, 0}}),
               UsageError);
}

}  // namespace
}  // namespace layerpipe::tests
