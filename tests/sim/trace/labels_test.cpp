#include "sim/trace/labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/scheduler.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"

namespace layerpipe::trace {
namespace {

using testing::Contains;
using testing::Each;
using testing::IsSupersetOf;
using testing::StartsWith;

contract::Schedule sample_schedule(const char* scheduler) {
  return scheduler::find_scheduler(scheduler)
      .plan(tests::sample_profile(), tests::test_machine(3), {})
      .schedule;
}

std::vector<std::string> operation_texts(const contract::Schedule& schedule) {
  std::vector<std::string> texts;
  for (const OperationLabel& label : operation_labels(schedule)) texts.push_back(label.text);
  return texts;
}

// On three processors parts of the input gradients of layers 2 and 3 are lent (reference figures
// R4), and layer 4 keeps all of its own.
TEST(OperationLabels, TellTheKeptAndTheLentPartApart) {
  const auto texts = operation_texts(sample_schedule("layerpipe"));
  EXPECT_EQ(texts.size(), 13U);
  EXPECT_THAT(texts, IsSupersetOf({"FP layer1", "G layer1", "delta' layer2", "delta'' layer2",
                                   "delta' layer3", "delta'' layer3", "delta layer4"}));
}

// PipeDream's stages are {1}, {2}, {3, 4}; the first has nothing but a weight gradient backward.
TEST(OperationLabels, NameAWholeBackwardPassByItsLayers) {
  EXPECT_THAT(operation_texts(sample_schedule("pipedream")),
              IsSupersetOf({"G layer1", "backward layer2", "backward layer3..layer4"}));
}

TEST(TensorLabels, SayClassAndContent) {
  EXPECT_THAT(tensor_labels(sample_schedule("layerpipe")),
              IsSupersetOf({"mandatory activation layer2", "additional weights layer2"}));
  EXPECT_THAT(tensor_labels(sample_schedule("pipedream")), Each(StartsWith("mandatory ")));
  EXPECT_THAT(tensor_labels(sample_schedule("pipedream")), Contains("mandatory gradient layer2"));
}

/// A tensor that no operation waits for carries what it is a part of.
TEST(TensorLabels, OfPartsAndSums) {
  contract::Schedule schedule;
  schedule.layer_names = {"a"};
  schedule.tensors.push_back({{0}, 0, 1, 8, contract::TensorClass::mandatory, 0});
  schedule.tensors.push_back({{1}, 1, 1, 8, contract::TensorClass::local, 0, {0}});
  schedule.edges.push_back({1, 2, 0, contract::InputKind::gradient, 1});
  EXPECT_THAT(tensor_labels(schedule),
              testing::ElementsAre("mandatory gradient a", "sum of gradients a"));
}

}  // namespace
}  // namespace layerpipe::trace
