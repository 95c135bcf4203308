#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "platforms/generate.hpp"
#include "platforms/transfer.hpp"
#include "scheduler/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/channel.hpp"
#include "sim/engine/isolated_process.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "tests/support/mesh_platform.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/test_profile.hpp"
#include "tests/theory/random_schedule.hpp"

namespace layerpipe {
namespace {

using scheduler::Schedule;
using scheduler::TensorId;
using scheduler::Timetable;

constexpr int processors = 6;
constexpr std::int64_t minibatches = 12;

/// Says where the events of a run differ from a timetable.
class Comparison final : public sim::EventSink {
 public:
  Comparison(const Schedule& schedule, const Timetable& timetable)
      : schedule_(schedule), timetable_(timetable) {
    for (const auto& op : timetable.ops) expected_ += 2 * op.size();
    for (TensorId id = 0; id < schedule.tensors.size(); ++id) {
      const std::size_t events = is_local(id) ? 1 : 3;
      expected_ += events * timetable.transfers[id].size();
    }
  }

  void record(const sim::Event& event) override {
    ++seen_;
    const scheduler::Span span = expected_span(event);
    const std::int64_t date = expected_date(event.kind, span);
    if (date != event.date) difference(event, date);
    if (!is_of_operation(event) && !is_local(event.id) && span.ready != event.queued) {
      difference(event, span.ready);
    }
  }

  [[nodiscard]] std::string differences() const {
    if (seen_ == expected_) return differences_;
    return fmt::format("{}{} events instead of {}\n", differences_, seen_, expected_);
  }

 private:
  static bool is_of_operation(const sim::Event& event) {
    return event.kind == sim::EventKind::operation_started ||
           event.kind == sim::EventKind::operation_ended;
  }

  [[nodiscard]] scheduler::Span expected_span(const sim::Event& event) const {
    if (is_of_operation(event)) {
      return timetable_.ops.at(event.id).at(static_cast<std::size_t>(event.minibatch));
    }
    return timetable_.transfers.at(event.id).at(producer_minibatch(event));
  }

  static std::int64_t expected_date(sim::EventKind kind, const scheduler::Span& span) {
    switch (kind) {
      case sim::EventKind::operation_started:
      case sim::EventKind::transfer_started:
        return span.start;
      case sim::EventKind::transfer_queued:
        return span.ready;
      case sim::EventKind::operation_ended:
      case sim::EventKind::transfer_ended:
      case sim::EventKind::sum_completed:
        break;
    }
    return span.end;
  }

  [[nodiscard]] std::size_t producer_minibatch(const sim::Event& event) const {
    return static_cast<std::size_t>(event.minibatch - least_tokens(event.id));
  }

  /// Of an edge that waits for the tensor, or for what it is a part of.
  [[nodiscard]] std::int64_t least_tokens(TensorId id) const {
    std::int64_t least = minibatches;
    for (const scheduler::Edge& edge : schedule_.edges) {
      if (edge.tensor == id) least = std::min(least, edge.tokens);
    }
    for (TensorId whole = id + 1; whole < schedule_.tensors.size(); ++whole) {
      const std::vector<TensorId>& parts = schedule_.tensors[whole].parts;
      if (std::ranges::count(parts, id) > 0) least = std::min(least, least_tokens(whole));
    }
    return least;
  }

  [[nodiscard]] bool is_local(TensorId id) const {
    return schedule_.tensors[id].tensor_class == scheduler::TensorClass::local;
  }

  void difference(const sim::Event& event, std::int64_t expected) {
    if (differences_.size() > 500) return;
    differences_ +=
        fmt::format("event {} of {} minibatch {} at {} instead of {}\n",
                    static_cast<int>(event.kind), event.id, event.minibatch, event.date, expected);
  }

  const Schedule& schedule_;
  const Timetable& timetable_;
  std::size_t expected_ = 0;
  std::size_t seen_ = 0;
  std::string differences_;
};

Schedule schedule_of_graph(const platforms::Machine& machine, std::uint64_t seed) {
  const auto profile = scheduler::profile(machine, tests::random_graph(1 + seed % 12, seed));
  const auto all = scheduler::schedulers();
  return all[seed % all.size()].plan(profile, machine, {}).schedule;
}

std::string differences(const platforms::Machine& machine, const Schedule& schedule,
                        bool only_flows = false) {
  const Timetable expected = timetable(schedule, minibatches, [&](TensorId id) {
    const scheduler::Tensor& tensor = schedule.tensors[id];
    return transfer_cycles(machine, machine.route(tensor.source, tensor.destination), tensor.bytes);
  });
  return sim::run_isolated([&] {
    Comparison comparison(schedule, expected);
    sim::simulate(machine, schedule, minibatches, comparison, {.only_flows = only_flows});
    return comparison.differences();
  });
}

Schedule random(const platforms::Machine&, std::uint64_t seed) {
  return tests::random_schedule(seed);
}

/// One process loads one platform, so each platform gets a process of its own.
template <class Make>
std::string differences_of_all(bool through_hub, std::uint64_t schedules, Make make) {
  const std::string path = tests::write_mesh_platform(processors, through_hub);
  return sim::run_isolated([&] {
    const platforms::Machine machine = sim::load_machine(path);
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
platforms::PlatformSpec random_chain_of_processors(std::mt19937_64& random) {
  platforms::PlatformSpec spec;
  spec.topology = platforms::Topology::chain;
  spec.processors = static_cast<std::int64_t>(1 + random() % 12);
  spec.clock_hertz = 1e6 * static_cast<double>(1 + random() % 3000);
  spec.link_bytes_per_second = spec.clock_hertz * static_cast<double>(100 + random() % 20000) / 100;
  spec.link_latency_seconds = static_cast<double>(random() % 5000) / 100 / spec.clock_hertz;
  return spec;
}

bool shares_links(const platforms::Machine& machine, const Schedule& schedule) {
  const auto channels = sim::used_channels(machine, schedule).channels;
  return std::ranges::any_of(channels, &sim::Channel::is_contended);
}

/// Of five random chains of layers that share no links, each under a scheduler drawn at random, on
/// one such platform.
std::string differences_on_chain(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::string path = fmt::format("{}chain-{}-{}.xml", testing::TempDir(), ::getpid(), seed);
  std::ofstream(path) << platform_xml(random_chain_of_processors(random));
  const std::string text = sim::run_isolated([&] {
    const platforms::Machine machine = sim::load_machine(path);
    for (int chains = 0; chains < 5;) {
      const auto all = scheduler::schedulers();
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
