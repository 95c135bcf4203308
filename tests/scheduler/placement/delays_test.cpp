#include "scheduler/placement/delays.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/base/error.hpp"

namespace layerpipe::tests {
namespace {

using namespace placement;
using testing::ElementsAre;

// Stages 0, 0, 1, 2: S(l) = 2, 2, 1, 0.
TEST(Delays, RulesCountTheStagesAfterALayer) {
  EXPECT_THAT(staleness(DelayRule::twice_stages_after, {0, 0, 1, 2}), ElementsAre(4, 4, 2, 0));
  EXPECT_THAT(staleness(DelayRule::stages_after, {0, 0, 1, 2}), ElementsAre(2, 2, 1, 0));
  EXPECT_THAT(staleness(DelayRule::stages_after, {}), ElementsAre());
}

TEST(Delays, RulesHaveTheNamesOfTheCommandLine) {
  EXPECT_EQ(to_string(DelayRule::twice_stages_after), "2S");
  EXPECT_EQ(to_string(DelayRule::stages_after), "S");
}

TEST(Delays, GivenOnesAreTakenAsTheyAre) {
  EXPECT_THAT(staleness(Staleness{7, 0, 1}, {0, 1, 2}), ElementsAre(7, 0, 1));
}

TEST(Delays, ThereIsOneForEachLayer) {
  for (const Staleness& given : {Staleness{}, Staleness{1, 0}, Staleness{2, 1, 0, 0}}) {
    EXPECT_THAT(
        [&] {
          (void)staleness(given, {0, 1, 2});
        },
        testing::ThrowsMessage<UsageError>(testing::HasSubstr("(expected 3, one for")));
  }
}

}  // namespace
}  // namespace layerpipe::tests
