#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "scheduler/scheduler.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"

namespace layerpipe::scheduler {
namespace {

using namespace contract;
using namespace costs;
using namespace placement;

using testing::ElementsAre;

TEST(Schedulers, SayWhoReadsAnOption) {
  EXPECT_THAT(readers(SchedulerOption::delays),
              ElementsAre("layerpipe", "layerpipe-strict", "layerpipe-optimal"));
  EXPECT_THAT(readers(SchedulerOption::micro_batches),
              ElementsAre("gpipe", "1f1b", "eager-1f1b", "interleaved-1f1b", "looped-bfs", "zb-h1",
                          "zb-h2", "pipedream-2bw"));
  EXPECT_THAT(readers(SchedulerOption::chunks), ElementsAre("interleaved-1f1b", "looped-bfs"));
  EXPECT_THAT(readers(SchedulerOption::objective),
              ElementsAre("pipedream", "gpipe", "1f1b", "eager-1f1b", "interleaved-1f1b",
                          "looped-bfs", "zb-h1", "zb-h2", "pipedream-2bw"));
  EXPECT_THAT(readers(SchedulerOption::alpha),
              ElementsAre("layerpipe", "layerpipe-strict", "gpipe", "1f1b", "eager-1f1b", "zb-h1",
                          "zb-h2", "pipedream-2bw"));
  for (const SchedulerOption option : {SchedulerOption::max_lent_weight_bytes,
                                       SchedulerOption::max_lent_bytes, SchedulerOption::split}) {
    EXPECT_THAT(readers(option),
                ElementsAre("layerpipe", "layerpipe-strict", "layerpipe-optimal", "gpipe", "1f1b",
                            "eager-1f1b", "zb-h1", "zb-h2", "pipedream-2bw"))
        << to_string(option);
  }
}

TEST(Schedulers, MisuseAnOptionIfNoneReadsIt) {
  const Scheduler& pipedream = find_scheduler("pipedream");
  const Scheduler& optimal = find_scheduler("layerpipe-optimal");
  EXPECT_EQ(misuse(SchedulerOption::alpha, std::array{&pipedream, &optimal}),
            "no chosen schedule reads it (expected layerpipe, layerpipe-strict, gpipe, 1f1b, "
            "eager-1f1b, zb-h1, zb-h2 or pipedream-2bw)");
  EXPECT_EQ(misuse(SchedulerOption::split, std::array{&pipedream}),
            "no chosen schedule reads it (expected layerpipe, layerpipe-strict, layerpipe-optimal, "
            "gpipe, "
            "1f1b, eager-1f1b, zb-h1, zb-h2 or pipedream-2bw)");
  EXPECT_EQ(misuse(SchedulerOption::split, std::array{&pipedream, &optimal}), "");
}

// Each value changes the placement of the sample where it is read: over a slow link PipeDream
// places by its transfers, and LayerPipe lends parts of two input gradients.
TEST(Schedulers, ReadNoOtherOptions) {
  const Profile profile = tests::sample_profile();
  const machine::Machine machine = tests::test_machine(3, 0.1);
  const std::vector<std::pair<SchedulerOption, SchedulerOptions>> changed{
      {SchedulerOption::objective, {.objective = PartitionObjective::compute}},
      {SchedulerOption::alpha, {.alpha = 5.0}},
      {SchedulerOption::max_lent_weight_bytes, {.max_lent_weight_bytes = 0}},
      {SchedulerOption::max_lent_bytes, {.max_lent_bytes = 0}},
      {SchedulerOption::split, {.split = Split::channels}}};
  for (const Scheduler& scheduler : schedulers()) {
    const auto cycles = [&](SchedulerOptions options) {
      options.micro_batches = 6;
      options.chunks = 1;
      return processor_cycles(scheduler.plan(profile, machine, options).schedule);
    };
    for (const auto& [option, values] : changed) {
      if (scheduler.reads(option)) continue;
      EXPECT_EQ(cycles(values), cycles({})) << scheduler.name << ", " << to_string(option);
    }
  }
}

}  // namespace
}  // namespace layerpipe::scheduler
