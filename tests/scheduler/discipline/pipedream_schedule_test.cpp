#include "scheduler/discipline/pipedream_schedule.hpp"

#include <gmock/gmock.h>

#include "scheduler/contract/check_schedule.hpp"
#include "tests/support/test_profile.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;
using testing::ElementsAre;

/// Layers 1 and 2 on p0, layer 3 on p1, layer 4 on p2.
const std::vector<ProcessorId> stages{0, 0, 1, 2};

Profile four_layers() {
  return test_profile(
      {{10, 0, 30, 1000, 1}, {20, 40, 50, 600, 1}, {60, 70, 80, 500, 1}, {1, 2, 3, 400, 1}});
}

TEST(PipeDreamSchedule, BackwardIsOneOperationPerStage) {
  const Profile profile = four_layers();
  const Schedule schedule = pipedream_schedule("pipedream", profile, stages, 4);
  check(schedule, profile);
  ASSERT_EQ(schedule.ops.size(), 4U + 3U);
  EXPECT_EQ(cycles(schedule.ops[4]), 40 + 50 + 30);  // delta 2, G 2, G 1
  EXPECT_EQ(cycles(schedule.ops[5]), 150);
  EXPECT_EQ(cycles(schedule.ops[6]), 5);
  EXPECT_THAT(schedule.updates, ElementsAre(4, 5, 6));
}

TEST(PipeDreamSchedule, StageSRunsAheadByTheStagesBehindIt) {
  const Schedule schedule = pipedream_schedule("pipedream", four_layers(), stages, 4);
  const auto entries = [&](ProcessorId p) {
    std::vector<std::pair<OpId, std::int64_t>> result;
    for (const auto& entry : std::get<StaticOrder>(schedule.orders[p]).entries) {
      result.emplace_back(entry.op, entry.lag);
    }
    return result;
  };
  using Entry = std::pair<OpId, std::int64_t>;
  EXPECT_THAT(entries(0), ElementsAre(Entry{0, 0}, Entry{1, 0}, Entry{4, 2}));
  EXPECT_THAT(entries(1), ElementsAre(Entry{2, 0}, Entry{5, 1}));
  EXPECT_THAT(entries(2), ElementsAre(Entry{3, 0}, Entry{6, 0}));
  EXPECT_TRUE(entries(3).empty());
}

TEST(PipeDreamSchedule, SendsWhatCrossesBoundariesAndNothingElse) {
  const Schedule schedule = pipedream_schedule("pipedream", four_layers(), stages, 4);
  std::int64_t bytes = 0;
  for (const Tensor& tensor : schedule.tensors) {
    EXPECT_EQ(tensor.tensor_class, TensorClass::mandatory);
    bytes += tensor.bytes;
  }
  EXPECT_EQ(schedule.tensors.size(), 4U);
  EXPECT_EQ(bytes, 2 * (600 + 500));
}

TEST(PipeDreamSchedule, WeightsAreAsStaleAsStagesFollow) {
  // UPDATE -> FP has S(l) + 1 tokens: 3 on p0 (both layers), 2 on p1, 1 on p2.
  const Schedule schedule = pipedream_schedule("pipedream", four_layers(), stages, 4);
  std::vector<std::pair<OpId, std::int64_t>> tokens;
  for (const Edge& edge : schedule.edges) {
    if (edge.input == InputKind::weight_version) tokens.emplace_back(edge.to, edge.tokens);
  }
  using Tokens = std::pair<OpId, std::int64_t>;
  EXPECT_THAT(tokens, ElementsAre(Tokens{0, 3}, Tokens{1, 3}, Tokens{2, 2}, Tokens{3, 1}));
}

}  // namespace
}  // namespace layerpipe::tests
