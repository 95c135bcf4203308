#include "scheduler/theory/recurrence.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/theory/schedule_builder.hpp"
#include "workloads/base/error.hpp"

// Expected dates are computed by hand; the drawings show them. In a drawing a letter is an
// operation or transfer in progress for one cycle, a dot an idle cycle.
namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace theory;
using testing::ElementsAre;

std::vector<std::int64_t> starts(const std::vector<Span>& spans) {
  std::vector<std::int64_t> dates;
  for (const Span& span : spans) dates.push_back(span.start);
  return dates;
}

std::vector<std::int64_t> ends(const std::vector<Span>& spans) {
  std::vector<std::int64_t> dates;
  for (const Span& span : spans) dates.push_back(span.end);
  return dates;
}

Timetable run(ScheduleBuilder& builder, std::int64_t minibatches) {
  Schedule& schedule = builder.schedule();
  if (schedule.updates.empty()) schedule.updates = {schedule.ops.size() - 1};
  return timetable(schedule, minibatches, cycle_per_byte(schedule));
}

// p0       AAAABBBBCCCC
// channel  ....aa..bb..cc
// p1       ......AAA.BBB.CCC
TEST(Timetable, ChainOfTwoStages) {
  ScheduleBuilder builder(2);
  const OpId first = builder.op(0, 4);
  const OpId second = builder.op(1, 3);
  const TensorId tensor = builder.tensor({first}, second, 2);
  builder.priority_order(0, {{first}});
  builder.priority_order(1, {{second}});

  const Timetable table = run(builder, 3);

  EXPECT_THAT(starts(table.ops[first]), ElementsAre(0, 4, 8));
  EXPECT_THAT(ends(table.ops[first]), ElementsAre(4, 8, 12));
  EXPECT_THAT(starts(table.transfers[tensor]), ElementsAre(4, 8, 12));
  EXPECT_THAT(ends(table.transfers[tensor]), ElementsAre(6, 10, 14));
  EXPECT_THAT(starts(table.ops[second]), ElementsAre(6, 10, 14));
  EXPECT_THAT(table.minibatch_ends, ElementsAre(9, 13, 17));
  EXPECT_EQ(table.makespan, 17);
}

// One transfer at a time: the second is queued at 4 and waits for the channel until 9.
// p0       AABB
// channel  ..aaaaaaabbbbbbb
TEST(Timetable, TransferWaitsForItsChannel) {
  ScheduleBuilder builder(2);
  const OpId first = builder.op(0, 2);
  const OpId second = builder.op(1, 1);
  const TensorId tensor = builder.tensor({first}, second, 7);
  builder.priority_order(0, {{first}});
  builder.priority_order(1, {{second}});

  const Timetable table = run(builder, 2);

  EXPECT_EQ(table.transfers[tensor][1].ready, 4);
  EXPECT_THAT(starts(table.transfers[tensor]), ElementsAre(2, 9));
}

// The two directions of a pair of processors are two channels.
TEST(Timetable, ChannelsAreIndependent) {
  ScheduleBuilder builder(2);
  const OpId left = builder.op(0, 2);
  const OpId right = builder.op(1, 2);
  const TensorId there = builder.tensor({left}, right, 5, 1);
  const TensorId back = builder.tensor({right}, left, 5, 1);
  builder.priority_order(0, {{left}});
  builder.priority_order(1, {{right}});

  const Timetable table = run(builder, 2);

  EXPECT_THAT(starts(table.transfers[there]), ElementsAre(2));
  EXPECT_THAT(starts(table.transfers[back]), ElementsAre(2));
}

// Source executes minibatch 0 in [0, 1) and 1 in [1, 2); each transfer takes 10 cycles. Queued at
// 1, as (tensor, minibatch of the user): (far, 1), (near, 0), (deep, 0), (extra, 0). At 2: (near,
// 1), (deep, 1), (extra, 1); nobody will use (far, 2). So: deep, near, extra for user 0; then for
// user 1 deep, near, and of the additional ones far, which was queued earlier, before extra of a
// greater layer.
TEST(Timetable, ChannelPicksByUserClassQueueDateAndLayer) {
  ScheduleBuilder builder(2);
  const OpId source = builder.op(0, 1);
  const OpId user = builder.op(1, 1);
  const TensorId far = builder.tensor({source}, user, 10, 1);
  const TensorId near = builder.tensor({source}, user, 10);
  const TensorId deep = builder.tensor({source}, user, 10);
  const TensorId extra = builder.tensor({source}, user, 10);
  std::vector<Tensor>& tensors = builder.schedule().tensors;
  tensors[far].tensor_class = TensorClass::additional_weights;
  tensors[extra].tensor_class = TensorClass::additional_gradients;
  tensors[deep].layer = 1;
  tensors[extra].layer = 5;
  builder.priority_order(0, {{source}});
  builder.priority_order(1, {{user}});

  const Timetable table = run(builder, 2);

  EXPECT_THAT(starts(table.transfers[deep]), ElementsAre(1, 31));
  EXPECT_THAT(starts(table.transfers[near]), ElementsAre(11, 41));
  EXPECT_THAT(starts(table.transfers[extra]), ElementsAre(21, 61));
  EXPECT_THAT(starts(table.transfers[far]), ElementsAre(51));
  EXPECT_THAT(starts(table.ops[user]), ElementsAre(31, 71));
}

TEST(Timetable, ChannelPicksTheLowestIdAmongEquals) {
  ScheduleBuilder builder(2);
  const OpId source = builder.op(0, 1);
  const OpId user = builder.op(1, 1);
  builder.tensor({source}, user, 10);
  builder.tensor({source}, user, 10);
  builder.priority_order(0, {{source}});
  builder.priority_order(1, {{user}});

  const Timetable table = run(builder, 1);

  EXPECT_THAT(starts(table.transfers[0]), ElementsAre(1));
  EXPECT_THAT(starts(table.transfers[1]), ElementsAre(11));
}

// p0       AAAAABBBBB...      minibatches A, B, C, D; C and D of p0 follow
// channel  .....aaaa.bbbb
// p1       AAABBB...CCC..DDD  C waits for a, D for b; c and d have no user
TEST(Timetable, TokensLetTheFirstMinibatchesPass) {
  ScheduleBuilder builder(2);
  const OpId source = builder.op(0, 5);
  const OpId user = builder.op(1, 3);
  const TensorId tensor = builder.tensor({source}, user, 4, 2);
  builder.priority_order(0, {{source}});
  builder.priority_order(1, {{user}});

  const Timetable table = run(builder, 4);

  EXPECT_THAT(starts(table.transfers[tensor]), ElementsAre(5, 10));
  EXPECT_THAT(starts(table.ops[user]), ElementsAre(0, 3, 9, 14));
}

TEST(Timetable, MoreTokensThanMinibatchesSendNothing) {
  ScheduleBuilder builder(2);
  const OpId source = builder.op(0, 5);
  const OpId user = builder.op(1, 3);
  const TensorId tensor =
      builder.tensor({source}, user, 4, std::numeric_limits<std::int64_t>::max());
  builder.priority_order(0, {{source}});
  builder.priority_order(1, {{user}});

  const Timetable table = run(builder, 2);

  EXPECT_TRUE(table.transfers[tensor].empty());
  EXPECT_THAT(starts(table.ops[user]), ElementsAre(0, 3));
}

// p0       XXXYYYY
// channel  .......tt
// p1       .........UV    one transfer for both; W waits for it a minibatch later
TEST(Timetable, TensorIsSentOnceWhenAllItsProducersHaveEnded) {
  ScheduleBuilder builder(2);
  const OpId x = builder.op(0, 3);
  const OpId y = builder.op(0, 4);
  const OpId u = builder.op(1, 1);
  const OpId v = builder.op(1, 1);
  const OpId w = builder.op(1, 1);
  const TensorId tensor = builder.tensor({x, y}, u, 2);
  builder.wait(tensor, v);
  builder.wait(tensor, w, 1);
  builder.static_order(0, {{x}, {y}});
  builder.priority_order(1, {{u}, {v}, {w}});

  const Timetable table = run(builder, 2);

  // Minibatch 1: X in [7, 10), Y in [10, 14), the tensor in [14, 16).
  EXPECT_THAT(starts(table.transfers[tensor]), ElementsAre(7, 14));
  EXPECT_THAT(starts(table.ops[u]), ElementsAre(9, 16));
  EXPECT_THAT(starts(table.ops[v]), ElementsAre(10, 17));
  EXPECT_THAT(starts(table.ops[w]), ElementsAre(0, 11));
}

// Round 0: F0; round 1: F1 B0; round 2: B1. B0 is ready at 2 and waits for its turn.
// p0  FFFFBBBBBB
TEST(Timetable, StaticOrderLeavesOutMinibatchesThatAreNotThere) {
  ScheduleBuilder builder(1);
  const OpId forward = builder.op(0, 2);
  const OpId backward = builder.op(0, 3);
  builder.edge(forward, backward);
  builder.static_order(0, {{forward, 0}, {backward, 1}});

  const Timetable table = run(builder, 2);

  EXPECT_THAT(starts(table.ops[forward]), ElementsAre(0, 2));
  EXPECT_THAT(starts(table.ops[backward]), ElementsAre(4, 7));
}

// p0       AAAAA
// channel  .....a
// p1       ......UUVV    V is ready from the start, but stands behind U
TEST(Timetable, StaticOrderWaitsForTheNextEntry) {
  ScheduleBuilder builder(2);
  const OpId a = builder.op(0, 5);
  const OpId u = builder.op(1, 2);
  const OpId v = builder.op(1, 2);
  builder.tensor({a}, u, 1);
  builder.static_order(0, {{a}});
  builder.static_order(1, {{u}, {v}});

  const Timetable table = run(builder, 1);

  EXPECT_THAT(starts(table.ops[u]), ElementsAre(6));
  EXPECT_THAT(starts(table.ops[v]), ElementsAre(8));
}

// All are ready at 0. Urgency 0 first, of it the oldest minibatch, of it what is listed first:
// C0 B0 C1 B1 A0 A1.
TEST(Timetable, PriorityIsUrgencyThenMinibatchThenList) {
  ScheduleBuilder builder(1);
  const OpId a = builder.op(0, 2);
  const OpId b = builder.op(0, 3);
  const OpId c = builder.op(0, 1);
  builder.priority_order(0, {{a, 1}, {c, 0}, {b, 0}});

  const Timetable table = run(builder, 2);

  EXPECT_THAT(starts(table.ops[c]), ElementsAre(0, 4));
  EXPECT_THAT(starts(table.ops[b]), ElementsAre(1, 5));
  EXPECT_THAT(starts(table.ops[a]), ElementsAre(8, 10));
}

// p0       S
// channel  .s
// p1       LLLLLU    U is urgent and ready at 2, L is not preempted
TEST(Timetable, OperationsAreNotPreempted) {
  ScheduleBuilder builder(2);
  const OpId source = builder.op(0, 1);
  const OpId slow = builder.op(1, 5);
  const OpId urgent = builder.op(1, 1);
  builder.tensor({source}, urgent, 1);
  builder.priority_order(0, {{source}});
  builder.priority_order(1, {{slow, 1}, {urgent, 0}});

  const Timetable table = run(builder, 1);

  EXPECT_EQ(table.ops[urgent][0].ready, 2);
  EXPECT_THAT(starts(table.ops[urgent]), ElementsAre(5));
}

// X ends at 4 on p1 when the tensor that U waits for arrives: U is picked, not the less urgent V.
// p0       AA
// channel  ..aa
// p1       XXXXUV
TEST(Timetable, ArrivalsOfADateComeBeforeThePick) {
  ScheduleBuilder builder(2);
  const OpId a = builder.op(0, 2);
  const OpId x = builder.op(1, 4);
  const OpId u = builder.op(1, 1);
  const OpId v = builder.op(1, 1);
  builder.tensor({a}, u, 2);
  builder.priority_order(0, {{a}});
  builder.priority_order(1, {{x, 0}, {v, 2}, {u, 1}});

  const Timetable table = run(builder, 1);

  EXPECT_THAT(starts(table.ops[u]), ElementsAre(4));
  EXPECT_THAT(starts(table.ops[v]), ElementsAre(5));
}

// Z on p0, a tensor, Y on p1 and a tensor back take no time, and make U on p0 ready. They are all
// processed at 0, though Z is the least urgent, so that p0 picks U and not A.
// p0  UUAAA
TEST(Timetable, WhatTakesNoTimeComesBeforeThePick) {
  ScheduleBuilder builder(2);
  const OpId a = builder.op(0, 3);
  const OpId u = builder.op(0, 2);
  const OpId z = builder.op(0, 0);
  const OpId y = builder.op(1, 0);
  builder.tensor({z}, y, 0);
  builder.tensor({y}, u, 0);
  builder.priority_order(0, {{a, 1}, {u, 0}, {z, 2}});
  builder.static_order(1, {{y}});

  const Timetable table = run(builder, 1);

  EXPECT_THAT(ends(table.ops[y]), ElementsAre(0));
  EXPECT_THAT(starts(table.ops[u]), ElementsAre(0));
  EXPECT_THAT(starts(table.ops[a]), ElementsAre(2));
}

// p0  AAAB   Z takes no time, is ready at 0 when A is picked: executed before. Y, of no time too,
//            waits for A, so for 3, and comes before B.
TEST(Timetable, OperationsWithoutTimeNeedAnIdleProcessor) {
  ScheduleBuilder builder(2);
  const OpId a = builder.op(0, 3);
  const OpId b = builder.op(0, 1);
  const OpId z = builder.op(0, 0);
  const OpId y = builder.op(0, 0);
  const OpId source = builder.op(1, 1);
  builder.tensor({source}, y, 0);
  builder.priority_order(0, {{a, 0}, {b, 1}, {z, 2}, {y, 2}});
  builder.priority_order(1, {{source}});

  const Timetable table = run(builder, 1);

  EXPECT_THAT(starts(table.ops[z]), ElementsAre(0));
  EXPECT_EQ(table.ops[y][0].ready, 1);
  EXPECT_THAT(starts(table.ops[y]), ElementsAre(3));
  EXPECT_THAT(starts(table.ops[b]), ElementsAre(3));
}

// p0       AB
// channel  .aaaa    the empty tensor of B is queued at 2 and arrives at 5, when that of A has ended
TEST(Timetable, TransfersWithoutTimeNeedAnIdleChannel) {
  ScheduleBuilder builder(2);
  const OpId a = builder.op(0, 1);
  const OpId b = builder.op(0, 1);
  const OpId user = builder.op(1, 1);
  builder.tensor({a}, user, 4);
  const TensorId empty = builder.tensor({b}, user, 0);
  builder.static_order(0, {{a}, {b}});
  builder.static_order(1, {{user}});

  const Timetable table = run(builder, 1);

  EXPECT_EQ(table.transfers[empty][0].ready, 2);
  EXPECT_THAT(ends(table.transfers[empty]), ElementsAre(5));
}

TEST(Timetable, AllUpdatesEndAMinibatch) {
  ScheduleBuilder builder(2);
  const OpId fast = builder.op(0, 2);
  const OpId slow = builder.op(1, 5);
  builder.priority_order(0, {{fast}});
  builder.priority_order(1, {{slow}});
  builder.schedule().updates = {slow, fast};

  const Timetable table = run(builder, 2);

  EXPECT_THAT(table.minibatch_ends, ElementsAre(5, 10));
}

TEST(Timetable, IdleProcessorsDoNoHarm) {
  ScheduleBuilder builder(3);
  const OpId op = builder.op(1, 2);
  builder.static_order(1, {{op}});
  builder.priority_order(2, {});

  EXPECT_EQ(run(builder, 4).makespan, 8);
}

std::string deadlock_of(ScheduleBuilder& builder, std::int64_t minibatches) {
  try {
    run(builder, minibatches);
  } catch (const DeadlockError& error) {
    return error.what();
  }
  return "no deadlock";
}

TEST(Timetable, StaticOrderAgainstTheGraphIsADeadlock) {
  ScheduleBuilder builder(1);
  const OpId first = builder.op(0, 2);
  const OpId second = builder.op(0, 3);
  builder.edge(first, second);
  builder.static_order(0, {{second}, {first}});

  EXPECT_EQ(
      deadlock_of(builder, 2),
      "schedule 'test' comes to a stop at 0 cycles; processor 0 waits with op 1 (forward of 1) "
      "of minibatch 0 for op 0 (forward of 0) of minibatch 0 on processor 0");
}

// The first minibatch of p1 has its token. Its second waits for a tensor with a producer that waits
// for itself. p0 executes both minibatches of op 0 until 4, when all comes to a stop.
TEST(Timetable, DeadlockNamesEveryProcessorThatWaits) {
  ScheduleBuilder builder(2);
  const OpId left = builder.op(0, 2);
  const OpId stuck = builder.op(0, 2);
  const OpId right = builder.op(1, 3);
  builder.edge(stuck, stuck);
  builder.tensor({left, stuck}, right, 1, 1);
  builder.priority_order(0, {{left}, {stuck}});
  builder.priority_order(1, {{right}});

  EXPECT_EQ(
      deadlock_of(builder, 2),
      "schedule 'test' comes to a stop at 4 cycles; processor 0 waits with op 1 (forward of 1) "
      "of minibatch 0 for op 1 (forward of 1) of minibatch 0 on processor 0; processor 1 waits "
      "with op 2 (forward of 2) of minibatch 1 for op 1 (forward of 1) of minibatch 0 on "
      "processor 0");
}

TEST(Timetable, RefusesWhatItCannotExecute) {
  ScheduleBuilder builder(2);
  const OpId first = builder.op(0, 1);
  const OpId second = builder.op(1, 1);
  const TensorId tensor = builder.tensor({first}, second, 1);
  builder.static_order(0, {{first}});
  builder.static_order(1, {{second}});
  builder.schedule().updates = {second};
  EXPECT_THROW(run(builder, 0), InternalError);
  EXPECT_NO_THROW(run(builder, 1));

  builder.schedule().tensors[tensor].bytes = 0;
  const TransferCycles negative = [](TensorId) { return std::int64_t{-1}; };
  EXPECT_THROW((void)timetable(builder.schedule(), 1, negative), InternalError);

  builder.schedule().edges[0].tokens = -1;
  EXPECT_THROW(run(builder, 1), InternalError);
}

TEST(Timetable, RefusesDatesBeyond64Bits) {
  ScheduleBuilder builder(1);
  const OpId op = builder.op(0, std::numeric_limits<std::int64_t>::max() / 2 + 1);
  builder.static_order(0, {{op}});

  EXPECT_NO_THROW(run(builder, 1));
  EXPECT_THROW(run(builder, 2), InfeasibleError);
}

}  // namespace
}  // namespace layerpipe::tests
