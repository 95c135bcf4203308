#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "platforms/file/generate.hpp"
#include "platforms/machine/transfer.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/events/channel.hpp"
#include "sim/process/isolated_process.hpp"
#include "tests/support/mesh_platform.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/test_profile.hpp"
#include "tests/support/whole_minibatches.hpp"
#include "tests/theory/random_schedule.hpp"
#include "tests/theory/timetable_comparison.hpp"

namespace layerpipe {
namespace {

using contract::Schedule;
using contract::TensorId;
using theory::Timetable;

constexpr int processors = 6;
constexpr std::int64_t minibatches = 12;

Schedule schedule_of_graph(const machine::Machine& machine, std::uint64_t seed) {
  const auto profile = costs::profile(machine, tests::random_graph(1 + seed % 12, seed));
  const auto all = tests::schedulers_of_whole_minibatches();
  return all[seed % all.size()].plan(profile, machine, {}).schedule;
}

std::string differences(const machine::Machine& machine, const Schedule& schedule,
                        bool only_flows = false) {
  const Timetable expected = theory::timetable(schedule, minibatches, [&](TensorId id) {
    const contract::Tensor& tensor = schedule.tensors[id];
    return transfer_cycles(machine, machine.route(tensor.source, tensor.destination), tensor.bytes);
  });
  return process::run_isolated([&] {
    tests::TimetableComparison comparison(schedule, expected);
    engine::simulate(machine, schedule, minibatches, comparison, {.only_flows = only_flows});
    return comparison.differences();
  });
}

Schedule random(const machine::Machine&, std::uint64_t seed) {
  return tests::random_schedule(seed);
}

/// One process loads one platform, so each platform gets a process of its own.
template <class Make>
std::string differences_of_all(bool through_hub, std::uint64_t schedules, Make make) {
  const std::string path = tests::write_mesh_platform(processors, through_hub);
  return process::run_isolated([&] {
    const machine::Machine machine = engine::load_machine(path);
    for (std::uint64_t seed = 0; seed < schedules; ++seed) {
      const std::string text = differences(machine, make(machine, seed));
      if (!text.empty()) return fmt::format("seed {}:\n{}", seed, text);
    }
    return std::string();
  });
}

/// The event simulation and the list scheduler, written apart from each other, give every operation
/// and every transfer the same dates.
TEST(EngineAgainstRecurrence, TimersOnLinksOfTheirOwn) {
  EXPECT_EQ(differences_of_all(false, 2000, random), "");
}

/// Sums and what they are made of have the same dates, too.
TEST(EngineAgainstRecurrence, SchedulesOfRandomGraphs) {
  EXPECT_EQ(differences_of_all(false, 500, schedule_of_graph), "");
  EXPECT_EQ(differences_of_all(true, 200, schedule_of_graph), "");
}

/// A shared link that nobody can fill changes nothing, but makes every transfer a network flow.
TEST(EngineAgainstRecurrence, FlowsOnASharedLinkThatIsNeverFull) {
  EXPECT_EQ(differences_of_all(true, 500, random), "");
}

/// A chain of 1 to 12 processors, with links from 1 to 200 bytes a cycle and of up to 50 cycles,
/// not whole ones, and clocks other than 1 GHz.
file::PlatformSpec random_chain_of_processors(std::mt19937_64& random) {
  file::PlatformSpec spec;
  spec.topology = machine::Topology::chain;
  spec.processors = static_cast<std::int64_t>(1 + random() % 12);
  spec.clock_hertz = 1e6 * static_cast<double>(1 + random() % 3000);
  spec.link_bytes_per_second = spec.clock_hertz * static_cast<double>(100 + random() % 20000) / 100;
  spec.link_latency_seconds = static_cast<double>(random() % 5000) / 100 / spec.clock_hertz;
  return spec;
}

bool shares_links(const machine::Machine& machine, const Schedule& schedule) {
  const auto channels = events::used_channels(machine, schedule).channels;
  return std::ranges::any_of(channels, &events::Channel::is_contended);
}

/// Of five random chains of layers that share no links, each under a scheduler drawn at random, on
/// one such platform.
std::string differences_on_chain(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::string path = fmt::format("{}chain-{}-{}.xml", testing::TempDir(), ::getpid(), seed);
  std::ofstream(path) << platform_xml(random_chain_of_processors(random));
  const std::string text = process::run_isolated([&] {
    const machine::Machine machine = engine::load_machine(path);
    for (int chains = 0; chains < 5;) {
      const auto all = tests::schedulers_of_whole_minibatches();
      const auto profile = tests::random_profile(1 + random() % 20, random());
      const Schedule schedule = all[random() % all.size()].plan(profile, machine, {}).schedule;
      if (shares_links(machine, schedule)) continue;
      ++chains;
      for (const bool only_flows : {false, true}) {
        const std::string found = differences(machine, schedule, only_flows);
        if (!found.empty()) return fmt::format("{}, flows: {}\n{}", chains, only_flows, found);
      }
    }
    return std::string();
  });
  std::filesystem::remove(path);
  return text;
}

/// 500 chains of layers: timers, network flows in their place, and the list scheduler give every
/// operation and every transfer the same dates.
TEST(EngineAgainstRecurrence, ChainsByTimersAndByFlows) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(differences_on_chain(seed), "") << "platform " << seed;
  }
}

}  // namespace
}  // namespace layerpipe
