#include "sim/trace/link_load.hpp"

#include <gtest/gtest.h>

#include "tests/support/test_machine.hpp"
#include "tests/support/two_layer_schedule.hpp"

namespace layerpipe::trace {
namespace {

using namespace events;
using namespace metrics;

// Tensor 0 is 64 bytes from p0 to p1. Of three processors, link 1 is the way from p0 to p1, link 3
// that from p1 to p0.
TEST(LinkLoad, CountsWhatArrivesFromMinibatchToMinibatch) {
  const machine::Machine machine = tests::test_machine(3, 64.0);
  const contract::Schedule schedule = tests::two_layer_schedule();
  const Channels channels = used_channels(machine, schedule);
  LinkLoad load(schedule, channels);
  load.arrived(0);
  load.arrived(0);
  const auto first = load.minibatch_ended(8);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].link, 1U);
  EXPECT_EQ(first[0].start, 0);
  EXPECT_EQ(first[0].end, 8);
  EXPECT_EQ(first[0].bytes, 128);
  EXPECT_EQ(first[1].link, 3U);
  EXPECT_EQ(first[1].bytes, 0);
  EXPECT_TRUE(load.minibatch_ended(8).empty());
  EXPECT_EQ(load.since(), 8);
  EXPECT_EQ(load.minibatch_ended(10).at(0).bytes, 0);
  // 128 bytes in 8 cycles of 64 bytes.
  EXPECT_DOUBLE_EQ(busy_fraction(first[0], machine), 0.25);
}

}  // namespace
}  // namespace layerpipe::trace
