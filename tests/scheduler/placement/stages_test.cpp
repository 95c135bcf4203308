#include "scheduler/placement/stages.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::placement {
namespace {

using testing::ElementsAre;

std::string refusal(const costs::Profile& profile, std::size_t processors, std::size_t chunks,
                    PlacementRule rule) {
  try {
    static_cast<void>(chunked_stages(profile, tests::test_machine(processors), chunks, rule));
  } catch (const InfeasibleError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(EvenStages, DifferByOneLayerAtMost) {
  EXPECT_THAT(even_stages(4, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(even_stages(7, 3), ElementsAre(0, 0, 1, 1, 2, 2, 2));
  for (std::size_t layers = 1; layers < 30; ++layers) {
    for (std::size_t stages = 1; stages <= layers; ++stages) {
      const std::vector<std::size_t> stage_of_layer = even_stages(layers, stages);
      ASSERT_EQ(stage_of_layer.size(), layers);
      EXPECT_TRUE(std::ranges::is_sorted(stage_of_layer));
      for (std::size_t s = 0; s < stages; ++s) {
        const auto count = static_cast<std::size_t>(std::ranges::count(stage_of_layer, s));
        EXPECT_GE(count, layers / stages);
        EXPECT_LE(count, (layers + stages - 1) / stages);
      }
    }
  }
}

TEST(EvenStages, HaveALayerEach) {
  EXPECT_THROW(static_cast<void>(even_stages(3, 4)), InfeasibleError);
}

// 1 + 9, 2 + 7, 5 and 6: the slowest of any four stages takes 10 cycles or more.
TEST(ChunkedStages, MakeTheSlowestAsFastAsItCanBe) {
  const costs::Profile profile = tests::test_profile({{1}, {9}, {2}, {7}, {5}, {6}});
  EXPECT_THAT(chunked_stages(profile, tests::test_machine(2), 2, PlacementRule::whole),
              ElementsAre(0, 0, 1, 1, 2, 3));
  EXPECT_THAT(chunked_stages(profile, tests::test_machine(2), 2, PlacementRule::even),
              ElementsAre(0, 1, 1, 2, 3, 3));
}

// Three stages, {4, 4}, {20} and {1, 1}, are as fast as four. Of those with two layers the slowest
// is cut, in the middle.
TEST(ChunkedStages, AreCutFurtherWhereFewerWouldDo) {
  EXPECT_THAT(chunked_stages(tests::test_profile({{4}, {4}, {20}, {1}, {1}}),
                             tests::test_machine(2), 2, PlacementRule::whole),
              testing::ElementsAre(0, 1, 2, 3, 3));
}

TEST(ChunkedStages, RefuseWhatTheyCannotPlace) {
  const costs::Profile profile = tests::test_profile({{1}, {9}, {2}});
  EXPECT_EQ(
      refusal(profile, 2, 2, PlacementRule::even),
      "3 layers with weights do not make 4 stages (expected fewer processors, chunks or stages)");
  EXPECT_EQ(refusal(profile, 3, 1, PlacementRule::even), "accepted");
  EXPECT_EQ(
      refusal(profile, 2, 2, PlacementRule::whole),
      "3 layers with weights do not make 4 stages (expected fewer processors, chunks or stages)");
  for (const PlacementRule rule : {PlacementRule::layerpipe, PlacementRule::layerpipe_optimal}) {
    EXPECT_EQ(refusal(profile, 1, 2, rule),
              "placement " + std::string(to_string(rule)) +
                  " has one stage on each processor, and lends (expected whole or even where there "
                  "are chunks, or stages of a file)");
  }
}

}  // namespace
}  // namespace layerpipe::placement
