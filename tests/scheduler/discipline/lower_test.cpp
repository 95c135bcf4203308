#include "scheduler/discipline/lower.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/discipline/gpipe.hpp"
#include "scheduler/discipline/pipedream_2bw.hpp"
#include "scheduler/discipline/zero_bubble.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::discipline {
namespace {

using namespace contract;
using costs::OpKind;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// Three layers, the last two of which are one stage.
Pipeline two_stages(Program (*program)(const PipelineShape&), std::size_t micro_batches,
                    std::int64_t staleness = 0) {
  return {.name = "test",
          .stages = {{0, 0, 0}, {1, 2, 1}},
          .processors = 2,
          .micro_batches = micro_batches,
          .staleness = {staleness, staleness},
          .program = program({2, micro_batches})};
}

costs::Profile three_layers() {
  return tests::test_profile({{10, 0, 5, 64, 8}, {11, 6, 7, 32, 4}, {12, 8, 9, 16, 2}});
}

/// "F1 of layer 0", "B1 ...", "W1 ..."; all parts of it.
std::string to_text(const Op& op) {
  std::string text;
  for (const OpPart& part : op.parts) {
    const char letter = "FBW"[static_cast<std::size_t>(part.kind)];
    text += fmt::format("{}{}{}.{}", text.empty() ? "" : "+", letter, part.layer, part.micro_batch);
  }
  return text;
}

std::string order(const Schedule& schedule, std::size_t processor) {
  std::string text;
  for (const auto& [op, lag] : std::get<StaticOrder>(schedule.orders[processor]).entries) {
    text += (text.empty() ? "" : " ") + to_text(schedule.ops[op]) +
            std::string(static_cast<std::size_t>(lag), '\'');
  }
  return text;
}

std::vector<std::string> updates(const Schedule& schedule) {
  std::vector<std::string> result;
  for (const OpId op : schedule.updates) result.push_back(to_text(schedule.ops[op]));
  return result;
}

TEST(LowerWhole, MakesOneOperationOfABackwardPass) {
  const Schedule schedule = lower_whole(three_layers(), two_stages(gpipe, 2));
  check(schedule, three_layers());
  EXPECT_EQ(order(schedule, 0), "F0.0 F0.1 W0.0 W0.1");
  EXPECT_EQ(order(schedule, 1), "F1.0 F2.0 F1.1 F2.1 B2.0+W2.0+B1.0+W1.0 B2.1+W2.1+B1.1+W1.1");
  EXPECT_THAT(updates(schedule), UnorderedElementsAre("W0.1", "B2.1+W2.1+B1.1+W1.1"));
  EXPECT_EQ(schedule.micro_batches, 2U);
}

TEST(LowerSplit, MakesAnOperationOfEachGradient) {
  placement::Allocation allocation;
  allocation.layers = {{0, {}}, {1, {}}, {1, {}}};
  const Schedule schedule = lower_split(three_layers(), two_stages(zb_h1, 2), allocation);
  check(schedule, three_layers());
  EXPECT_EQ(order(schedule, 0), "F0.0 F0.1 W0.0 W0.1");
  EXPECT_EQ(order(schedule, 1), "F1.0 F2.0 B2.0 B1.0 F1.1 F2.1 B2.1 B1.1 W2.0 W1.0 W2.1 W1.1");
  EXPECT_THAT(updates(schedule), UnorderedElementsAre("W0.1", "W1.1", "W2.1"));
}

/// Half of the second layer's input gradient is borrowed: by the stage behind, after its own.
TEST(LowerSplit, ExecutesWhatIsBorrowedBehindTheOwnInputGradients) {
  placement::Allocation allocation;
  allocation.layers = {{0, {}}, {0, {{1, 0.5, 3}}}, {1, {}}};
  Pipeline pipeline = two_stages(gpipe, 2);
  pipeline.stages = {{0, 1, 0}, {2, 2, 1}};
  const Schedule schedule = lower_split(three_layers(), pipeline, allocation);
  check(schedule, three_layers());
  EXPECT_EQ(order(schedule, 0), "F0.0 F1.0 F0.1 F1.1 B1.0 W1.0 W0.0 B1.1 W1.1 W0.1");
  EXPECT_EQ(order(schedule, 1), "F2.0 F2.1 B2.0 B1.0 W2.0 B2.1 B1.1 W2.1");
  std::vector<std::int64_t> sent_weights;
  for (const Tensor& tensor : schedule.tensors) {
    if (tensor.tensor_class != TensorClass::additional_weights) continue;
    sent_weights.push_back(tensor.bytes);
  }
  EXPECT_THAT(sent_weights, ElementsAre(2)) << "half of four, for both micro-batches";
}

/// The first stage executes the last backward pass of a minibatch in the middle of the next one.
TEST(LowerWhole, UpdatesWithTheLastMicroBatchAlsoWhereItLags) {
  const Schedule schedule = lower_whole(three_layers(), two_stages(pipedream_2bw, 3, 1));
  check(schedule, three_layers());
  EXPECT_EQ(order(schedule, 0), "F0.0 W0.2' F0.1 W0.0 F0.2 W0.1");
  EXPECT_THAT(updates(schedule), UnorderedElementsAre("W0.2", "B2.2+W2.2+B1.2+W1.2"));
}

TEST(LowerWhole, CannotExecuteAWholeBackwardPassInTwoPieces) {
  EXPECT_THROW(static_cast<void>(lower_whole(three_layers(), two_stages(zb_h1, 2))), InternalError);
}

}  // namespace
}  // namespace layerpipe::discipline
