#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
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
#include "sim/process/isolated_process.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/whole_minibatches.hpp"
#include "tests/support/with_links.hpp"
#include "tests/theory/fluid_network.hpp"
#include "tests/theory/random_schedule.hpp"
#include "tests/theory/timetable_comparison.hpp"

// The engine, whose flows are SimGrid's, against the list scheduler over a max-min network that was
// written apart from it.
namespace layerpipe {
namespace {

using contract::Schedule;
using contract::TensorId;
using machine::Link;
using machine::Machine;

constexpr int processors = 6;
constexpr std::size_t shared_links = 8;
constexpr std::size_t all_links = 10;

std::string differences(const Machine& machine, const Schedule& schedule,
                        std::int64_t minibatches) {
  const auto alone = [&](TensorId id) {
    const contract::Tensor& tensor = schedule.tensors[id];
    return transfer_cycles(machine, machine.route(tensor.source, tensor.destination), tensor.bytes);
  };
  tests::FluidNetwork network(machine, schedule);
  const theory::Timetable expected = timetable(schedule, minibatches, alone, network);
  return process::run_isolated([&] {
    tests::TimetableComparison comparison(schedule, expected);
    engine::simulate(machine, schedule, minibatches, comparison);
    return comparison.differences();
  });
}

/// Six processors and ten links, two of them FATPIPE. The way from one processor to another leads
/// over one to four of them, drawn at random.
std::string random_routes(std::mt19937_64& random) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n<zone id=\"net\" routing=\"Full\">\n";
  for (int p = 0; p < processors; ++p) {
    text += fmt::format(
        "<host id=\"p{}\" speed=\"1Gf\"><prop id=\"rows\" value=\"32\"/>"
        "<prop id=\"cols\" value=\"32\"/></host>\n",
        p);
  }
  std::vector<std::size_t> links;
  for (std::size_t l = 0; l < all_links; ++l) {
    links.push_back(l);
    text += fmt::format("<link id=\"l{}\" bandwidth=\"1GBps\" latency=\"1ns\"{}/>\n", l,
                        l < shared_links ? "" : " sharing_policy=\"FATPIPE\"");
  }
  for (int from = 0; from < processors; ++from) {
    for (int to = 0; to < processors; ++to) {
      if (from == to) continue;
      std::ranges::shuffle(links, random);
      text += fmt::format("<route src=\"p{}\" dst=\"p{}\" symmetrical=\"NO\">", from, to);
      for (std::size_t i = 0; i <= random() % 4; ++i) {
        text += fmt::format("<link_ctn id=\"l{}\"/>", links[i]);
      }
      text += "</route>\n";
    }
  }
  return text + "</zone>\n</platform>\n";
}

/// Bandwidths of 0.1 to 2 bytes a cycle. Either no link has a latency, or all have one of a few
/// that differ widely, and FATPIPE links are wide.
std::vector<Link> random_links(std::vector<Link> links, double clock, std::mt19937_64& random) {
  constexpr std::array<double, 5> latencies{1.0, 20.0, 20.5, 300.0, 2e5};
  const bool is_instant = random() % 4 == 0;
  const std::size_t kinds = 1 + random() % latencies.size();
  for (Link& link : links) {
    link.bytes_per_second = clock * static_cast<double>(10 + random() % 191) / 100;
    if (!link.shared && !is_instant) link.bytes_per_second = clock * 100.0;
    link.latency_seconds = is_instant ? 0.0 : latencies[random() % kinds] / clock;
  }
  return links;
}

std::string in_process_with(const std::string& platform_text,
                            const std::function<std::string(const Machine&)>& work) {
  const std::string path = fmt::format("{}shared-{}.xml", testing::TempDir(), ::getpid());
  std::ofstream(path) << platform_text;
  const std::string result =
      process::run_isolated([&] { return work(engine::load_machine(path)); });
  std::filesystem::remove(path);
  return result;
}

/// 320 random schedules on 40 platforms, each with other latencies and bandwidths.
TEST(SharedNetwork, RandomRoutes) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    EXPECT_EQ(in_process_with(random_routes(random),
                              [&](const Machine& loaded) {
                                for (int run = 0; run < 8; ++run) {
                                  const double clock =
                                      1e6 * static_cast<double>(1 + random() % 3000);
                                  const Machine machine = tests::with_links(
                                      loaded, clock, random_links(loaded.links, clock, random));
                                  const std::string text =
                                      differences(machine, tests::random_schedule(random()), 6);
                                  if (!text.empty()) return fmt::format("run {}:\n{}", run, text);
                                }
                                return std::string();
                              }),
              "")
        << "platform " << seed;
  }
}

/// Schedules of random graphs, where one value often goes to two processors, on crossbars and
/// chains: 120 of them.
TEST(SharedNetwork, SchedulesOfRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    std::mt19937_64 random(seed);
    file::PlatformSpec spec;
    spec.topology = seed % 2 == 0 ? machine::Topology::crossbar : machine::Topology::chain;
    spec.processors = static_cast<std::int64_t>(2 + random() % 6);
    spec.link_bytes_per_second = 1e9 * static_cast<double>(1 + random() % 1000) / 10;
    spec.link_latency_seconds = 1e-9 * static_cast<double>(1 + random() % 1000);
    EXPECT_EQ(
        in_process_with(platform_xml(spec),
                        [&](const Machine& machine) {
                          for (int run = 0; run < 5; ++run) {
                            const auto profile = costs::profile(
                                machine, tests::random_graph(2 + random() % 12, random()));
                            const auto all = tests::schedulers_of_whole_minibatches();
                            const Schedule schedule =
                                all[random() % all.size()].plan(profile, machine, {}).schedule;
                            const std::string text = differences(machine, schedule, 12);
                            if (!text.empty()) return fmt::format("run {}:\n{}", run, text);
                          }
                          return std::string();
                        }),
        "")
        << "platform " << seed;
  }
}

}  // namespace
}  // namespace layerpipe
