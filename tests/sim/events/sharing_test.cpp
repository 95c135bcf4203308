#include "sim/events/sharing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "workloads/base/error.hpp"

namespace layerpipe::events {
namespace {

using testing::HasSubstr;

/// p0 sends to p1 and to p2; both ways lead over link 0, the second one over link 2 as well.
struct Fork {
  machine::Machine machine;
  std::vector<Channel> channels;

  Fork(double first_latency, double second_latency) {
    machine.name = "lab";
    machine.processors = {"p0", "p1", "p2"};
    machine.links = {{"port", 100e9, true, 0.0}, {"wide", 1e9, false, 0.0}, {"far", 100e9}};
    channels.push_back({0, 1, {{0}, first_latency}, true});
    channels.push_back({0, 2, {{0, 2}, second_latency}, true});
  }

  void cross_fatpipe(double bytes_per_second) {
    machine.links[1].bytes_per_second = bytes_per_second;
    for (Channel& channel : channels) channel.route.links.push_back(1);
  }

  [[nodiscard]] std::string refusal() const {
    try {
      check_sharing(machine, channels);
    } catch (const InfeasibleError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(Sharing, ALatencyOnBothOrOnNeither) {
  EXPECT_EQ(Fork(0.0, 0.0).refusal(), "");
  EXPECT_EQ(Fork(1e-10, 1e-6).refusal(), "");
  EXPECT_EQ(
      Fork(0.0, 1e-10).refusal(),
      "lab: the routes p0 -> p1 (0 s) and p0 -> p2 (100 ps) share link 'port', and one has no "
      "latency: flows share by the inverse of their latencies (expected a latency on both or "
      "on neither)");
  Fork apart(0.0, 1e-6);
  for (Channel& channel : apart.channels) channel.is_contended = false;
  EXPECT_EQ(apart.refusal(), "");
}

TEST(Sharing, LatenciesThatCanBeWeighed) {
  EXPECT_EQ(Fork(1e-9, 1.0).refusal(), "");
  EXPECT_THAT(Fork(1e-9, 1.01).refusal(),
              HasSubstr("(1 ns) and p0 -> p2 (1.01 s) differ in latency by more than a factor of "
                        "10^9"));
}

/// The FATPIPE link is narrower than all shared links of the routes, or not.
TEST(Sharing, AFatpipeLinkThatLimitsFlowsOfDifferentLatencies) {
  Fork narrow(1e-7, 1e-6);
  narrow.cross_fatpipe(1e9);
  EXPECT_THAT(narrow.refusal(), HasSubstr("share links and cross FATPIPE link 'wide', which limits "
                                          "one of them"));
  EXPECT_TRUE(holds_back(narrow.machine, narrow.channels, 1));
  Fork wide(1e-7, 1e-6);
  wide.cross_fatpipe(100e9);
  EXPECT_EQ(wide.refusal(), "");
  EXPECT_FALSE(holds_back(wide.machine, wide.channels, 1));
  Fork equal(1e-7, 1e-7);
  equal.cross_fatpipe(1e9);
  EXPECT_EQ(equal.refusal(), "");
}

}  // namespace
}  // namespace layerpipe::events
