#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>
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

using testing::UnorderedElementsAreArray;

TEST(Schedulers, SayWhoReadsAnOption) {
  const std::vector<std::string_view> layerpipe{"layerpipe", "layerpipe-strict",
                                                "layerpipe-optimal"};
  const std::vector<std::string_view> one_stage{"gpipe", "1f1b",  "eager-1f1b",
                                                "zb-h1", "zb-h2", "pipedream-2bw"};
  const auto with = [](std::vector<std::string_view> names,
                       const std::vector<std::string_view>& more) {
    names.insert(names.end(), more.begin(), more.end());
    return names;
  };
  EXPECT_THAT(readers(SchedulerOption::objective),
              UnorderedElementsAreArray(with({"pipedream"}, one_stage)));
  EXPECT_THAT(readers(SchedulerOption::alpha),
              UnorderedElementsAreArray(with({"layerpipe", "layerpipe-strict"}, one_stage)));
  for (const SchedulerOption option : {SchedulerOption::max_lent_weight_bytes,
                                       SchedulerOption::max_lent_bytes, SchedulerOption::split}) {
    EXPECT_THAT(readers(option), UnorderedElementsAreArray(with(layerpipe, one_stage)))
        << to_string(option);
  }
  for (const SchedulerOption option : {SchedulerOption::delays, SchedulerOption::priority}) {
    EXPECT_THAT(readers(option), UnorderedElementsAreArray(layerpipe)) << to_string(option);
  }
  const std::vector<std::string_view> chunked{"interleaved-1f1b", "looped-bfs"};
  EXPECT_THAT(readers(SchedulerOption::chunks), UnorderedElementsAreArray(chunked));
  for (const SchedulerOption option :
       {SchedulerOption::micro_batches, SchedulerOption::placement}) {
    EXPECT_THAT(readers(option), UnorderedElementsAreArray(with(chunked, one_stage)))
        << to_string(option);
  }
}

TEST(Schedulers, MisuseAnOptionIfNoneReadsIt) {
  const Scheduler& pipedream = find_scheduler("pipedream");
  const Scheduler& optimal = find_scheduler("layerpipe-optimal");
  EXPECT_EQ(
      misuse(SchedulerOption::priority, std::array{&pipedream}),
      "no chosen schedule reads it (expected layerpipe, layerpipe-strict or layerpipe-optimal)");
  EXPECT_EQ(misuse(SchedulerOption::chunks, std::array{&pipedream, &optimal}),
            "no chosen schedule reads it (expected interleaved-1f1b or looped-bfs)");
  EXPECT_EQ(misuse(SchedulerOption::split, std::array{&pipedream, &optimal}), "");
}

/// On three processors two stages of each are {2, 3}, {10}, {11}, {12}, {13} and {14}.
Profile seven_layers() { return tests::test_profile({{2}, {3}, {10}, {11}, {12}, {13}, {14}}); }

// Each value changes what a processor has to do where it is read: over a slow link PipeDream places
// by its transfers, and LayerPipe lends parts of input gradients.
TEST(Schedulers, ReadNoOtherOptions) {
  const Profile sample = tests::sample_profile();
  const machine::Machine machine = tests::test_machine(3, 0.1);
  const std::vector<std::pair<SchedulerOption, SchedulerOptions>> changed{
      {SchedulerOption::objective, {.objective = PartitionObjective::compute}},
      {SchedulerOption::alpha, {.alpha = 5.0}},
      {SchedulerOption::max_lent_weight_bytes, {.max_lent_weight_bytes = 0}},
      {SchedulerOption::max_lent_bytes, {.max_lent_bytes = 0}},
      {SchedulerOption::split, {.split = Split::channels}},
      {SchedulerOption::micro_batches, {.micro_batches = 12}},
      {SchedulerOption::chunks, {.chunks = 1}},
      {SchedulerOption::placement, {.placement = PlacementRule::even}}};
  for (const Scheduler& scheduler : schedulers()) {
    const bool has_chunks = scheduler.reads(SchedulerOption::chunks);
    const Profile profile = has_chunks ? seven_layers() : sample;
    const auto cycles = [&](SchedulerOptions options) {
      if (!options.micro_batches) options.micro_batches = 6;
      return processor_cycles(scheduler.plan(profile, machine, options).schedule);
    };
    for (const auto& [option, values] : changed) {
      if (scheduler.reads(option)) continue;
      EXPECT_EQ(cycles(values), cycles({})) << scheduler.name << ", " << to_string(option);
    }
    for (const SchedulerOption option :
         {SchedulerOption::micro_batches, SchedulerOption::chunks, SchedulerOption::placement}) {
      if (!scheduler.reads(option)) continue;
      const auto values = std::ranges::find(changed, option, [](const auto& c) { return c.first; });
      EXPECT_NE(cycles(values->second), cycles({})) << scheduler.name << ", " << to_string(option);
    }
  }
}

}  // namespace
}  // namespace layerpipe::scheduler
