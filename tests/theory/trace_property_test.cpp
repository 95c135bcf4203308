#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/engine/isolated_process.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/trace/json_trace.hpp"
#include "sim/trace/paje.hpp"
#include "tests/support/mesh_platform.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/test_profile.hpp"
#include "tests/support/traced_run.hpp"
#include "tests/theory/random_schedule.hpp"

// What has to hold for the slices that traces are made of, whatever is simulated.
namespace layerpipe::tests {
namespace {

using scheduler::Schedule;
using sim::StallCause;

constexpr int processors = 6;
constexpr std::int64_t minibatches = 12;
constexpr std::uint64_t seeds = 150;

struct Row {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::string text;
};

/// Keeps everything, and looks whether it comes without gap or overlap.
class Slices final : public sim::TraceWriter {
 public:
  Slices(const Schedule& schedule, const sim::Channels& channels)
      : uses(schedule.orders.size()),
        processor_end(schedule.orders.size(), 0),
        channel_end(channels.channels.size(), 0),
        schedule_(schedule),
        channels_(channels) {}

  void operation(const sim::OperationSlice& slice) override {
    const std::size_t p = schedule_.ops[slice.op].processor;
    tiles = tiles && slice.start == processor_end[p] && slice.end >= slice.start;
    processor_end[p] = slice.end;
    uses[p].busy += slice.end - slice.start;
    add('o', slice.op, slice.minibatch, slice.start, slice.end);
  }
  void transfer(const sim::TransferSlice& slice) override {
    std::int64_t& end = channel_end[channels_.of_tensor[slice.tensor]];
    overlaps = overlaps || slice.start < end || slice.queued > slice.start;
    end = slice.end;
    for (const std::size_t link :
         channels_.channels[channels_.of_tensor[slice.tensor]].route.links) {
      links[link].transferred += schedule_.tensors[slice.tensor].bytes;
    }
    add('t', slice.tensor, slice.minibatch, slice.start, slice.end);
  }
  void stall(const sim::StallInterval& slice) override {
    tiles = tiles && slice.start == processor_end[slice.processor] && slice.end > slice.start;
    processor_end[slice.processor] = slice.end;
    of_cause(uses[slice.processor].stalls, slice.cause) += slice.end - slice.start;
    add('s', slice.processor, static_cast<int>(slice.cause), slice.start, slice.end);
  }
  void link_use(const sim::LinkUse& use) override {
    LinkSum& sum = links[use.link];
    tiles = tiles && use.start == sum.end && use.end > use.start;
    sum.end = use.end;
    sum.bytes += use.bytes;
  }
  void finish(const sim::Result& /*result*/, const sim::TraceSpan& end) override { span = end; }

  /// What was told of a link, and what its transfers say.
  struct LinkSum {
    std::int64_t end = 0;
    std::int64_t bytes = 0;
    std::int64_t transferred = 0;
  };

  std::vector<sim::TimeUse> uses;
  std::vector<std::int64_t> processor_end;
  std::vector<std::int64_t> channel_end;
  std::map<std::size_t, LinkSum> links;
  std::vector<Row> rows;
  sim::TraceSpan span;
  bool tiles = true;
  bool overlaps = false;

 private:
  void add(char type, std::size_t id, std::int64_t number, std::int64_t start, std::int64_t end) {
    rows.push_back({start, end, fmt::format("{}{} {} {} {}\n", type, id, number, start, end)});
  }

  const Schedule& schedule_;
  const sim::Channels& channels_;
};

std::string wrong_tiling(const platforms::Machine& machine, std::uint64_t seed) {
  const Schedule schedule = random_schedule(seed);
  const sim::Channels channels = sim::used_channels(machine, schedule);
  Slices slices(schedule, channels);
  TracedRun run(schedule, channels, std::nullopt);
  run.add(slices);
  run.simulate(machine, minibatches);
  std::string wrong;
  if (!slices.tiles) wrong += "gap or overlap on a processor\n";
  if (slices.overlaps) wrong += "overlap on a channel\n";
  for (const auto& [link, sum] : slices.links) {
    // Transfers that arrive after the end of the last minibatch are not counted.
    const bool is_whole = sum.end == run.makespan();
    if (is_whole ? sum.bytes != sum.transferred : sum.bytes > sum.transferred) {
      wrong += "bytes of a link differ\n";
    }
  }
  for (std::size_t p = 0; p < schedule.orders.size(); ++p) {
    if (!is_equal(slices.uses[p], run.time_use()[p]) || slices.processor_end[p] != run.makespan()) {
      wrong += "sums differ from the report's\n";
    }
  }
  return wrong;
}

/// What `check` finds wrong with each of `seeds` seeds, which it simulates in processes of their
/// own.
template <class Check>
std::string wrong_of_all(Check check) {
  const std::string path = write_mesh_platform(processors, false);
  return sim::run_isolated([&] {
    const platforms::Machine machine = sim::load_machine(path);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const std::string wrong = check(machine, seed);
      if (!wrong.empty()) return fmt::format("seed {}: {}", seed, wrong);
    }
    return std::string();
  });
}

// Busy and stalled cycles of the report are the second source of the sums.
TEST(TraceSlices, TileEveryProcessorAndSumToTheReport) {
  EXPECT_EQ(wrong_of_all([](const platforms::Machine& machine, std::uint64_t seed) {
              return sim::run_isolated([&] { return wrong_tiling(machine, seed); });
            }),
            "");
}

/// The slices of a run, one a line, behind the span that they show.
std::string lines(const platforms::Machine& machine, const Schedule& schedule,
                  const std::optional<sim::TraceWindow>& window, const sim::TraceSpan* part) {
  return sim::run_isolated([&] {
    const sim::Channels channels = sim::used_channels(machine, schedule);
    Slices slices(schedule, channels);
    TracedRun run(schedule, channels, window);
    run.add(slices);
    run.simulate(machine, minibatches);
    const sim::TraceSpan span = part == nullptr ? slices.span : *part;
    std::string text = fmt::format("{} {}\n", span.begin, span.end);
    for (const Row& row : slices.rows) {
      // What takes no time may belong to both of two windows, or to none.
      if (row.start < row.end && row.end > span.begin && row.start < span.end) text += row.text;
    }
    return text;
  });
}

std::string wrong_window(const platforms::Machine& machine, std::uint64_t seed) {
  const auto profile = scheduler::profile(machine, random_graph(1 + seed % 12, seed));
  const auto all = scheduler::schedulers();
  const Schedule schedule = all[seed % all.size()].plan(profile, machine, {}).schedule;
  const auto first = static_cast<std::int64_t>(seed % minibatches);
  const std::int64_t last = std::min(minibatches - 1, first + static_cast<std::int64_t>(seed % 3));
  const std::string window = lines(machine, schedule, sim::TraceWindow{first, last}, nullptr);
  sim::TraceSpan span;
  std::istringstream(window) >> span.begin >> span.end;
  if (span.begin >= span.end) return "the window is empty";
  return window == lines(machine, schedule, std::nullopt, &span) ? "" : "slices differ:\n" + window;
}

// Its slices are those of the whole run that lie in it; and the first minibatch begins with the
// run.
TEST(TraceSlices, AWindowShowsAllOfItsTime) { EXPECT_EQ(wrong_of_all(wrong_window), ""); }

// LayerPipe's steady period on the shipped machine: reference figures R4, 32,007,170 cycles.
TEST(TraceSlices, AWindowOfTheSteadyStateIsAPeriodForEachMinibatch) {
  const std::string text = sim::run_isolated([] {
    const auto machine = sim::load_machine(LAYERPIPE_SOURCE_DIR "/platforms/three-32x32.xml");
    const Schedule schedule =
        scheduler::find_scheduler("layerpipe").plan(sample_profile(), machine, {}).schedule;
    return lines(machine, schedule, sim::TraceWindow{3, 5}, nullptr);
  });
  sim::TraceSpan span;
  std::istringstream(text) >> span.begin >> span.end;
  EXPECT_EQ(span.end - span.begin, 3 * 32'007'170);
}

using nlohmann::json;

/// Picoseconds.
std::int64_t picoseconds(const json& microseconds) {
  return std::llround(microseconds.get<double>() * 1e6);
}

/// Slices of a Chrome trace by track, and what is wrong with it.
class ChromeTrace {
 public:
  explicit ChromeTrace(const std::string& text) {
    const json trace = json::parse(text);
    for (const json& event : trace.at("traceEvents")) {
      const std::string phase = event.at("ph");
      if (phase == "M") continue;
      if (phase == "C") {
        add_counter(event);
        continue;
      }
      const std::pair<int, int> track{event.at("pid"), event.at("tid")};
      const std::int64_t start = picoseconds(event.at("ts"));
      if (phase == "X") {
        add_slice(track, start, start + picoseconds(event.at("dur")), event.at("args"));
      } else {
        arrows_[event.at("id")].push_back({phase, track, start});
      }
    }
  }

  [[nodiscard]] std::string wrong() const {
    std::string text = wrong_;
    for (const auto& [id, points] : arrows_) {
      std::string phases;
      for (const Point& point : points) {
        phases += point.phase;
        if (!is_in_slice(point)) text += fmt::format("arrow {} ends nowhere\n", id);
      }
      if (phases != "stf") text += fmt::format("arrow {} is {}\n", id, phases);
      if (points.front().date > points.back().date) text += fmt::format("arrow {} goes back\n", id);
    }
    return text;
  }

  [[nodiscard]] std::size_t arrows() const { return arrows_.size(); }

 private:
  struct Point {
    std::string phase;
    std::pair<int, int> track;
    std::int64_t date = 0;
  };
  using Slice = std::pair<std::int64_t, std::int64_t>;

  /// A counter has numbers as values, and its events come in order of time.
  void add_counter(const json& event) {
    std::int64_t& last = counters_[event.at("name")];
    const std::int64_t date = picoseconds(event.at("ts"));
    if (date < last) wrong_ += fmt::format("counter goes back at {} ps\n", date);
    last = date;
    for (const json& value : event.at("args")) {
      if (value.get<double>() < 0.0) wrong_ += fmt::format("negative at {} ps\n", date);
    }
  }

  void add_slice(std::pair<int, int> track, std::int64_t start, std::int64_t end,
                 const json& details) {
    std::vector<Slice>& slices = slices_[track];
    const bool is_processor = track.first == 1;
    const std::int64_t before = slices.empty() ? 0 : slices.back().second;
    if (is_processor ? start != before : start < before) {
      wrong_ += fmt::format("gap or overlap at {} ps\n", start);
    }
    // One cycle of 1 GHz is 1000 ps.
    if (end - start != 1000 * details.at("cycles").get<std::int64_t>()) {
      wrong_ += fmt::format("duration differs from cycles at {} ps\n", start);
    }
    slices.emplace_back(start, end);
  }

  [[nodiscard]] bool is_in_slice(const Point& point) const {
    const auto slices = slices_.find(point.track);
    return slices != slices_.end() && std::ranges::any_of(slices->second, [&](const Slice& slice) {
             return slice.first <= point.date && point.date <= slice.second;
           });
  }

  std::map<std::pair<int, int>, std::vector<Slice>> slices_;
  std::map<std::int64_t, std::vector<Point>> arrows_;
  std::map<std::string, std::int64_t> counters_;  ///< dates of the latest, in picoseconds
  std::string wrong_;
};

/// Arrows that a run must have: one for each use of what was sent. A sum that stays is used by way
/// of what was sent for it.
std::size_t uses(const Schedule& schedule) {
  const auto sent = [&](auto self, scheduler::TensorId id) -> std::size_t {
    const scheduler::Tensor& tensor = schedule.tensors[id];
    if (tensor.tensor_class != scheduler::TensorClass::local) return 1;
    std::size_t count = 0;
    for (const scheduler::TensorId part : tensor.parts) count += self(self, part);
    return count;
  };
  std::size_t count = 0;
  for (const scheduler::Edge& edge : schedule.edges) {
    if (edge.tensor == scheduler::Edge::no_tensor) continue;
    const auto minibatches_sent = static_cast<std::size_t>(minibatches - edge.tokens);
    count += minibatches_sent * sent(sent, edge.tensor);
  }
  return count;
}

std::string wrong_chrome_trace(const platforms::Machine& machine, std::uint64_t seed) {
  const Schedule schedule = random_schedule(seed);
  const ChromeTrace trace(sim::run_isolated([&] {
    const sim::Channels channels = sim::used_channels(machine, schedule);
    std::ostringstream stream;
    sim::JsonTrace json_trace(stream, {machine, schedule, channels});
    TracedRun run(schedule, channels, std::nullopt);
    run.add(json_trace);
    run.simulate(machine, minibatches);
    return stream.str();
  }));
  if (trace.arrows() == uses(schedule)) return trace.wrong();
  return fmt::format("{} arrows instead of {}\n", trace.arrows(), uses(schedule)) + trace.wrong();
}

/// Dates of lines never go back; on each container, states of a type begin and end in turn, and end
/// before it does.
std::string wrong_paje(const std::string& trace) {
  std::istringstream lines(trace);
  std::map<std::string, int> open;
  double last = 0.0;
  std::string wrong;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    int event = -1;
    double date = 0.0;
    std::string type;
    std::string container;
    if (!(fields >> event >> date >> type >> container) || event < 3 || event == 8) continue;
    if (date < last) wrong += "goes back: " + line + "\n";
    last = date;
    if (event == 5 || event == 7) ++open[type + container];
    if (event == 6) --open[type + container];
    const int depth = open[type + container];
    if (depth < 0 || depth > 1) wrong += "not in turn: " + line + "\n";
  }
  for (const auto& [state, depth] : open) {
    if (depth != 0) wrong += "never ends: " + state + "\n";
  }
  return wrong;
}

TEST(TraceSlices, AreAPajeTraceInOrderOfTime) {
  EXPECT_EQ(wrong_of_all([](const platforms::Machine& machine, std::uint64_t seed) {
              const Schedule schedule = random_schedule(seed);
              return wrong_paje(sim::run_isolated([&] {
                const sim::Channels channels = sim::used_channels(machine, schedule);
                std::ostringstream stream;
                sim::PajeTrace paje(stream, {machine, schedule, channels});
                TracedRun run(schedule, channels, std::nullopt);
                run.add(paje);
                run.simulate(machine, 3 * minibatches);
                return run.makespan() == 0 ? std::string() : stream.str();
              }));
            }),
            "");
}

TEST(TraceSlices, AreAValidChromeTrace) { EXPECT_EQ(wrong_of_all(wrong_chrome_trace), ""); }

}  // namespace
}  // namespace layerpipe::tests
