#include "sim/run/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/support/test_machine.hpp"
#include "workloads/base/error.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::run {
namespace {

// Platforms whose routes SimGrid is known to crash on are refused before. Here a route itself does.
TEST(Plan, SurvivesARouteThatCrashes) {
  machine::Machine machine = tests::test_machine(3);
  const auto network = read::read_network(LAYERPIPE_SOURCE_DIR "/workloads/sample4.yaml");
  const costs::Profile profile = costs::profile(machine, network);
  machine.route = [](std::size_t, std::size_t) -> machine::Route {
    std::raise(SIGSEGV);
    return {};
  };
  for (const char* schedule : {"pipedream", "layerpipe"}) {
    EXPECT_THAT(
        [&] { static_cast<void>(plan(scheduler::find_scheduler(schedule), profile, machine, {})); },
        testing::ThrowsMessage<InputError>(testing::StartsWith(
            "platform test machine: SimGrid crashes when asked for its routes (expected another "
            "topology): a process ")));
  }
}

}  // namespace
}  // namespace layerpipe::run
