#include "sim/metrics/stalls.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workloads/base/error.hpp"

namespace layerpipe::metrics {
namespace {

using namespace events;

using contract::Edge;
using contract::InputKind;
using contract::TensorClass;
using costs::OpKind;

/// Processor 0 sends two tensors to processor 1, which executes op 2 when tensor 0 has come and op
/// 3 when tensor 1 has; processor 2 has nothing to do.
contract::Schedule two_senders(InputKind first, InputKind second) {
  contract::Schedule schedule;
  for (const std::size_t processor : {0U, 0U, 1U, 1U}) {
    schedule.ops.push_back({{{OpKind::forward, 0, 1.0, 1}}, processor});
  }
  schedule.tensors.push_back({{0}, 0, 1, 8, TensorClass::mandatory, 0});
  schedule.tensors.push_back({{1}, 0, 1, 8, TensorClass::mandatory, 0});
  schedule.edges.push_back({0, 2, 0, first, 0});
  schedule.edges.push_back({1, 3, 0, second, 1});
  schedule.orders.resize(3);
  return schedule;
}

/// op 0: 0-10, op 1: 10-12. Tensor 0: 10-40. Tensor 1 is queued at 12 and sent 40-70.
/// op 2: 40-45, op 3: 70-80. Processor 1 is idle 0-40 (fill) and 45-70: tensor 1 is on its way from
/// 40 on, so none of that is queueing.
std::vector<TimeUse> play(StallAccount& account, std::int64_t second_start = 40,
                          std::int64_t second_end = 70) {
  const std::vector<Event> events{
      {EventKind::operation_started, 0, 0, 0},
      {EventKind::operation_ended, 10, 0, 0},
      {EventKind::operation_started, 10, 1, 0},
      {EventKind::transfer_started, 10, 0, 0, 10},
      {EventKind::operation_ended, 12, 1, 0},
      {EventKind::transfer_ended, 40, 0, 0, 10},
      {EventKind::operation_started, 40, 2, 0},
      {EventKind::operation_ended, 45, 2, 0},
      {EventKind::transfer_started, second_start, 1, 0, 12},
      {EventKind::transfer_ended, second_end, 1, 0, 12},
      {EventKind::operation_started, second_end, 3, 0},
      {EventKind::operation_ended, 80, 3, 0},
  };
  for (const Event& event : events) account.record(event);
  return account.time_use(80);
}

TEST(StallAccount, FillDrainAndTheInputThatCameLast) {
  const contract::Schedule schedule = two_senders(InputKind::activation, InputKind::gradient);
  StallAccount account(schedule);
  const std::vector<TimeUse> uses = play(account);
  EXPECT_EQ(uses[0].busy, 12);
  EXPECT_EQ(uses[0].stalls.drain, 68);
  EXPECT_EQ(uses[1].busy, 15);
  EXPECT_EQ(uses[1].stalls.fill, 40);
  EXPECT_EQ(uses[1].stalls.gradient, 25);
  EXPECT_EQ(uses[1].stalls.activation, 0);
  EXPECT_EQ(uses[1].stalls.drain, 0);
}

TEST(StallAccount, AProcessorWithoutWorkIsAllDrain) {
  const contract::Schedule schedule = two_senders(InputKind::activation, InputKind::gradient);
  StallAccount account(schedule);
  const TimeUse idle = play(account)[2];
  EXPECT_EQ(idle.busy, 0);
  EXPECT_EQ(idle.stalls.drain, 80);
  EXPECT_EQ(total(idle.stalls), 80);
}

TEST(StallAccount, TimeInTheQueueCountsForTheChannel) {
  // Tensor 1 starts at 60 only: of the idle 45-70, 15 are queueing and 10 the transfer.
  const contract::Schedule schedule = two_senders(InputKind::activation, InputKind::weights);
  StallAccount account(schedule);
  const TimeUse use = play(account, 60, 70)[1];
  EXPECT_EQ(use.stalls.channel, 15);
  EXPECT_EQ(use.stalls.weights, 10);
}

/// Tensor 1 starts at 50 and would take 12 cycles alone: of the idle 45-70, 5 are queueing, 12 the
/// transfer, and 8 are lost to those with which it shares its links.
TEST(StallAccount, WhatATransferTakesLongerThanAloneCountsForSharing) {
  const contract::Schedule schedule = two_senders(InputKind::activation, InputKind::gradient);
  StallAccount account(schedule, {30, 12});
  const TimeUse use = play(account, 50, 70)[1];
  EXPECT_EQ(use.stalls.channel, 5);
  EXPECT_EQ(use.stalls.gradient, 12);
  EXPECT_EQ(use.stalls.sharing, 8);
  EXPECT_EQ(use.busy + total(use.stalls), 80);
}

/// What was lost before the processor fell idle is not a stall: tensor 1 would have arrived at 42.
TEST(StallAccount, OnlyTheIdlePartOfSharingCounts) {
  const contract::Schedule schedule = two_senders(InputKind::activation, InputKind::gradient);
  StallAccount account(schedule, {30, 30});
  const TimeUse use = play(account, 12, 70)[1];
  EXPECT_EQ(use.stalls.channel, 0);
  EXPECT_EQ(use.stalls.gradient, 0);
  EXPECT_EQ(use.stalls.sharing, 25);
}

/// Op 3 waits for the sum of tensor 1 and of op 2 on its own processor.
TEST(StallAccount, ASumCameWithItsLastPart) {
  contract::Schedule schedule = two_senders(InputKind::activation, InputKind::gradient);
  schedule.tensors.push_back({{2}, 1, 1, 8, TensorClass::local, 0, {1}});
  schedule.edges[1] = {2, 3, 0, InputKind::gradient, 2};
  StallAccount account(schedule);
  const std::vector<Event> events{
      {EventKind::operation_started, 0, 0, 0},     {EventKind::operation_ended, 10, 0, 0},
      {EventKind::operation_started, 10, 1, 0},    {EventKind::transfer_started, 10, 0, 0, 10},
      {EventKind::operation_ended, 12, 1, 0},      {EventKind::transfer_ended, 40, 0, 0, 10},
      {EventKind::operation_started, 40, 2, 0},    {EventKind::operation_ended, 45, 2, 0},
      {EventKind::transfer_started, 60, 1, 0, 12}, {EventKind::transfer_ended, 70, 1, 0, 12},
      {EventKind::sum_completed, 70, 2, 0},        {EventKind::operation_started, 70, 3, 0},
      {EventKind::operation_ended, 80, 3, 0}};
  for (const Event& event : events) account.record(event);
  const TimeUse use = account.time_use(80)[1];
  EXPECT_EQ(use.stalls.channel, 15);   // 45-60: tensor 1 is in the queue of its channel
  EXPECT_EQ(use.stalls.gradient, 10);  // 60-70: it is on its way
}

TEST(StallAccount, AnUpdateOfItsOwnIsAWeightVersion) {
  // Processor 0: op 0 (0-10), then idle until op 1 of no duration on the same processor ends at 30
  // and lets op 2 start.
  contract::Schedule schedule;
  for (int op = 0; op < 3; ++op) schedule.ops.push_back({{{OpKind::forward, 0, 1.0, 1}}, 0});
  schedule.edges.push_back({1, 2, 1, InputKind::weight_version, Edge::no_tensor});
  schedule.edges.push_back({0, 1, 0, InputKind::gradient, Edge::no_tensor});
  schedule.orders.resize(2);
  schedule.ops[1].processor = 1;
  StallAccount account(schedule);
  for (const Event& event : std::vector<Event>{
           {EventKind::operation_started, 0, 0, 0},
           {EventKind::operation_ended, 10, 0, 0},
           {EventKind::operation_started, 10, 1, 0},
           {EventKind::operation_ended, 30, 1, 0},
           {EventKind::operation_started, 30, 2, 1},
           {EventKind::operation_ended, 35, 2, 1},
       }) {
    account.record(event);
  }
  EXPECT_EQ(account.time_use(35)[0].stalls.weight_version, 20);
}

/// "processor cause start end" of every stall.
class WrittenStalls final : public StallListener {
 public:
  void stalled(const StallInterval& stall) override {
    lines.push_back(fmt::format("p{} {} {} {}", stall.processor, to_string(stall.cause),
                                stall.start, stall.end));
  }
  std::vector<std::string> lines;
};

// Tensor 1 is queued at 12, before processor 1 becomes idle at 45, and starts at 60.
TEST(StallAccount, TellsItsListenerEveryInterval) {
  const contract::Schedule schedule = two_senders(InputKind::activation, InputKind::weights);
  StallAccount account(schedule);
  WrittenStalls stalls;
  account.listen(stalls);
  play(account, 60, 70);
  EXPECT_THAT(stalls.lines,
              testing::ElementsAre("p1 fill 0 40", "p1 channel 45 60", "p1 weights 60 70"));
  stalls.lines.clear();
  account.finish(80);
  EXPECT_THAT(stalls.lines, testing::ElementsAre("p0 drain 12 80", "p2 drain 0 80"));
}

TEST(StallAccount, AStartThatNothingExplainsIsADefect) {
  const contract::Schedule schedule = two_senders(InputKind::activation, InputKind::gradient);
  StallAccount account(schedule);
  account.record({EventKind::operation_started, 0, 2, 0});
  account.record({EventKind::operation_ended, 5, 2, 0});
  EXPECT_THROW(account.record({EventKind::operation_started, 9, 3, 0}), InternalError);
}

}  // namespace
}  // namespace layerpipe::metrics
