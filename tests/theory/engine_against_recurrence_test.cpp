#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "platforms/transfer.hpp"
#include "scheduler/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/engine/isolated_process.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "tests/support/mesh_platform.hpp"
#include "tests/support/random_graph.hpp"
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
      const std::size_t events = is_local(id) ? 1 : 2;
      expected_ += events * timetable.transfers[id].size();
    }
  }

  void record(const sim::Event& event) override {
    ++seen_;
    const bool is_transfer = event.kind == sim::EventKind::transfer_started ||
                             event.kind == sim::EventKind::transfer_ended;
    const bool is_sum = event.kind == sim::EventKind::sum_completed;
    const scheduler::Span span =
        is_transfer || is_sum
            ? timetable_.transfers.at(event.id).at(producer_minibatch(event))
            : timetable_.ops.at(event.id).at(static_cast<std::size_t>(event.minibatch));
    const bool is_start = event.kind == sim::EventKind::operation_started ||
                          event.kind == sim::EventKind::transfer_started;
    const std::int64_t date = is_start ? span.start : span.end;
    if (date != event.date) difference(event, date);
    if (is_transfer && span.ready != event.queued) difference(event, span.ready);
  }

  [[nodiscard]] std::string differences() const {
    if (seen_ == expected_) return differences_;
    return fmt::format("{}{} events instead of {}\n", differences_, seen_, expected_);
  }

 private:
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

std::string differences(const platforms::Machine& machine, const Schedule& schedule) {
  const Timetable expected = timetable(schedule, minibatches, [&](TensorId id) {
    const scheduler::Tensor& tensor = schedule.tensors[id];
    return transfer_cycles(machine, machine.route(tensor.source, tensor.destination), tensor.bytes);
  });
  return sim::run_isolated([&] {
    Comparison comparison(schedule, expected);
    sim::simulate(machine, schedule, minibatches, comparison);
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

}  // namespace
}  // namespace layerpipe
