#include "sim/engine/deadlock.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/process/isolated_process.hpp"
#include "tests/support/two_layer_schedule.hpp"
#include "tests/theory/schedule_builder.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::engine {
namespace {

using namespace events;
using namespace process;

using contract::Schedule;
using tests::ScheduleBuilder;

class Nobody final : public EventSink {
 public:
  void record(const Event&) override {}
};

/// What the run of `schedule` on p0, p1, p2 ends with.
std::string stop_of(const Schedule& schedule, std::int64_t minibatches) {
  try {
    return run_isolated([&] {
      const auto machine = load_machine(LAYERPIPE_SOURCE_DIR "/platforms/three-32x32.xml");
      Nobody nobody;
      simulate(machine, schedule, minibatches, nobody);
      return std::string("no deadlock");
    });
  } catch (const DeadlockError& error) {
    EXPECT_EQ(error.exit_code(), 5);
    return error.what();
  }
}

// p0 lists its second layer's forward pass first. The first one waits for nothing, and never comes
// to its turn; p1 waits for what p0 would send.
TEST(Deadlock, NamesWhatStaticOrdersWaitIn) {
  ScheduleBuilder builder(3);
  const auto first = builder.op(0, 2);
  const auto second = builder.op(0, 3);
  const auto third = builder.op(1, 4);
  builder.edge(first, second);
  builder.tensor({second}, third, 64);
  builder.static_order(0, {{second}, {first}});
  builder.static_order(1, {{third}});
  EXPECT_EQ(
      stop_of(builder.schedule(), 2),
      "schedule test came to a stop: p0 waits in forward of 1, minibatch 0 for forward of 0, "
      "minibatch 0 on p0; p1 waits in forward of 2, minibatch 0 for forward of 1, minibatch 0 "
      "on p0");
}

// p0 has come to the second minibatch of its first operation, which waits for p1. That the second
// operation, one minibatch behind, waits for something as well is not what stops it.
TEST(Deadlock, NamesTheEntryThatAListHasComeTo) {
  ScheduleBuilder builder(3);
  const auto ahead = builder.op(0, 2);
  const auto behind = builder.op(0, 3);
  const auto other = builder.op(1, 4);
  builder.tensor({other}, ahead, 64, 1);
  builder.tensor({other}, behind, 64);
  builder.edge(other, other);
  builder.static_order(0, {{ahead, 0}, {behind, 1}});
  builder.priority_order(1, {{other}});
  EXPECT_EQ(
      stop_of(builder.schedule(), 3),
      "schedule test came to a stop: p0 waits in forward of 0, minibatch 1 for forward of 2, "
      "minibatch 0 on p1; p1 waits in forward of 2, minibatch 0 for forward of 2, minibatch 0 "
      "on p1");
}

// The update of layer a has no token to begin with: each waits for the other.
TEST(Deadlock, IsReportedWithinASecond) {
  Schedule schedule = tests::two_layer_schedule();
  schedule.edges.back().tokens = 0;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(stop_of(schedule, 1'000'000),
            "schedule test came to a stop: p0 waits in forward of a, minibatch 0 for "
            "weight_gradient of a, minibatch 0 on p0; p1 waits in forward of b, minibatch 0 for "
            "forward of "
            "a, minibatch 0 on p0");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

}  // namespace
}  // namespace layerpipe::engine
