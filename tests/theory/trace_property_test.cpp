#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/process/isolated_process.hpp"
#include "sim/trace/paje.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/test_profile.hpp"
#include "tests/support/traced_run.hpp"
#include "tests/support/traced_seeds.hpp"
#include "tests/support/whole_minibatches.hpp"
#include "tests/theory/random_schedule.hpp"

// What has to hold for the slices that traces are made of, whatever is simulated.
namespace layerpipe::tests {
namespace {

using contract::Schedule;
using metrics::StallCause;

constexpr std::int64_t minibatches = 12;
constexpr std::uint64_t seeds = 150;

struct Row {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::string text;
};

/// Keeps everything, and looks whether it comes without gap or overlap.
class Slices final : public trace::TraceWriter {
 public:
  Slices(const Schedule& schedule, const events::Channels& channels)
      : uses(schedule.orders.size()),
        processor_end(schedule.orders.size(), 0),
        channel_end(channels.channels.size(), 0),
        schedule_(schedule),
        channels_(channels) {}

  void operation(const trace::OperationSlice& slice) override {
    const std::size_t p = schedule_.ops[slice.op].processor;
    tiles = tiles && slice.start == processor_end[p] && slice.end >= slice.start;
    processor_end[p] = slice.end;
    uses[p].busy += slice.end - slice.start;
    add('o', slice.op, slice.minibatch, slice.start, slice.end);
  }
  void transfer(const trace::TransferSlice& slice) override {
    std::int64_t& end = channel_end[channels_.of_tensor[slice.tensor]];
    overlaps = overlaps || slice.start < end || slice.queued > slice.start;
    end = slice.end;
    for (const std::size_t link :
         channels_.channels[channels_.of_tensor[slice.tensor]].route.links) {
      links[link].transferred += schedule_.tensors[slice.tensor].bytes;
    }
    add('t', slice.tensor, slice.minibatch, slice.start, slice.end);
  }
  void stall(const metrics::StallInterval& slice) override {
    tiles = tiles && slice.start == processor_end[slice.processor] && slice.end > slice.start;
    processor_end[slice.processor] = slice.end;
    of_cause(uses[slice.processor].stalls, slice.cause) += slice.end - slice.start;
    add('s', slice.processor, static_cast<int>(slice.cause), slice.start, slice.end);
  }
  void link_use(const trace::LinkUse& use) override {
    LinkSum& sum = links[use.link];
    tiles = tiles && use.start == sum.end && use.end > use.start;
    sum.end = use.end;
    sum.bytes += use.bytes;
  }
  void finish(const metrics::Result& /*result*/, const trace::TraceSpan& end) override {
    span = end;
  }

  /// What was told of a link, and what its transfers say.
  struct LinkSum {
    std::int64_t end = 0;
    std::int64_t bytes = 0;
    std::int64_t transferred = 0;
  };

  std::vector<metrics::TimeUse> uses;
  std::vector<std::int64_t> processor_end;
  std::vector<std::int64_t> channel_end;
  std::map<std::size_t, LinkSum> links;
  std::vector<Row> rows;
  trace::TraceSpan span;
  bool tiles = true;
  bool overlaps = false;

 private:
  void add(char type, std::size_t id, std::int64_t number, std::int64_t start, std::int64_t end) {
    rows.push_back({start, end, fmt::format("{}{} {} {} {}\n", type, id, number, start, end)});
  }

  const Schedule& schedule_;
  const events::Channels& channels_;
};

std::string wrong_tiling(const machine::Machine& machine, std::uint64_t seed) {
  const Schedule schedule = random_schedule(seed);
  const events::Channels channels = events::used_channels(machine, schedule);
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

// Busy and stalled cycles of the report are the second source of the sums.
TEST(TraceSlices, TileEveryProcessorAndSumToTheReport) {
  EXPECT_EQ(
      wrong_of_any(seeds,
                   [](const machine::Machine& machine, std::uint64_t seed) {
                     return process::run_isolated([&] { return wrong_tiling(machine, seed); });
                   }),
      "");
}

/// The slices of a run, one a line, behind the span that they show.
std::string lines(const machine::Machine& machine, const Schedule& schedule,
                  const std::optional<trace::TraceWindow>& window, const trace::TraceSpan* part) {
  return process::run_isolated([&] {
    const events::Channels channels = events::used_channels(machine, schedule);
    Slices slices(schedule, channels);
    TracedRun run(schedule, channels, window);
    run.add(slices);
    run.simulate(machine, minibatches);
    const trace::TraceSpan span = part == nullptr ? slices.span : *part;
    std::string text = fmt::format("{} {}\n", span.begin, span.end);
    for (const Row& row : slices.rows) {
      // What takes no time may belong to both of two windows, or to none.
      if (row.start < row.end && row.end > span.begin && row.start < span.end) text += row.text;
    }
    return text;
  });
}

std::string wrong_window(const machine::Machine& machine, std::uint64_t seed) {
  const auto profile = costs::profile(machine, random_graph(1 + seed % 12, seed));
  const auto all = tests::schedulers_of_whole_minibatches();
  const Schedule schedule = all[seed % all.size()].plan(profile, machine, {}).schedule;
  const auto first = static_cast<std::int64_t>(seed % minibatches);
  const std::int64_t last = std::min(minibatches - 1, first + static_cast<std::int64_t>(seed % 3));
  const std::string window = lines(machine, schedule, trace::TraceWindow{first, last}, nullptr);
  trace::TraceSpan span;
  std::istringstream(window) >> span.begin >> span.end;
  if (span.begin >= span.end) return "the window is empty";
  return window == lines(machine, schedule, std::nullopt, &span) ? "" : "slices differ:\n" + window;
}

// Its slices are those of the whole run that lie in it; and the first minibatch begins with the
// run.
TEST(TraceSlices, AWindowShowsAllOfItsTime) { EXPECT_EQ(wrong_of_any(seeds, wrong_window), ""); }

// LayerPipe's steady period on the shipped machine: reference figures R4, 32,007,170 cycles.
TEST(TraceSlices, AWindowOfTheSteadyStateIsAPeriodForEachMinibatch) {
  const std::string text = process::run_isolated([] {
    const auto machine = engine::load_machine(LAYERPIPE_SOURCE_DIR "/platforms/three-32x32.xml");
    const Schedule schedule =
        scheduler::find_scheduler("layerpipe").plan(sample_profile(), machine, {}).schedule;
    return lines(machine, schedule, trace::TraceWindow{3, 5}, nullptr);
  });
  trace::TraceSpan span;
  std::istringstream(text) >> span.begin >> span.end;
  EXPECT_EQ(span.end - span.begin, 3 * 32'007'170);
}

/// Dates of lines never go back; on each container, states of a type begin and end in turn, and end
/// before it does; there are so many arrows, and each begins once and then ends once.
std::string wrong_paje(const std::string& trace, std::size_t expected_arrows) {
  std::istringstream lines(trace);
  std::map<std::string, int> open;
  std::map<std::string, int> arrows;  ///< [key]: 1 when it has begun, 0 when it has ended
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
    if (event == 11 || event == 12) {
      const std::string key = line.substr(line.rfind(' ') + 1);
      const bool is_known = arrows.contains(key);
      if (event == 11 ? is_known : !is_known || arrows[key] != 1) wrong += "arrow: " + line + "\n";
      arrows[key] = event == 11 ? 1 : 0;
      continue;
    }
    if (event == 5 || event == 7 || event == 13) ++open[type + container];
    if (event == 6) --open[type + container];
    const int depth = open[type + container];
    if (depth < 0 || depth > 1) wrong += "not in turn: " + line + "\n";
  }
  for (const auto& [state, depth] : open) {
    if (depth != 0) wrong += "never ends: " + state + "\n";
  }
  for (const auto& [key, is_open] : arrows) {
    if (is_open != 0) wrong += "never ends: arrow " + key + "\n";
  }
  if (arrows.size() != expected_arrows) {
    wrong += fmt::format("{} arrows instead of {}\n", arrows.size(), expected_arrows);
  }
  return wrong;
}

std::string wrong_paje_trace(const machine::Machine& machine, std::uint64_t seed) {
  constexpr std::int64_t many = 3 * minibatches;  // for lines to be written before the end
  const Schedule schedule = random_schedule(seed);
  const std::string trace = process::run_isolated([&] {
    const events::Channels channels = events::used_channels(machine, schedule);
    std::ostringstream stream;
    trace::PajeTrace paje(stream, {machine, schedule, channels});
    TracedRun run(schedule, channels, std::nullopt);
    run.add(paje);
    run.simulate(machine, many);
    return stream.str();
  });
  return wrong_paje(trace, uses(schedule, many));
}

TEST(TraceSlices, AreAPajeTraceInOrderOfTime) {
  EXPECT_EQ(wrong_of_any(seeds, wrong_paje_trace), "");
}

}  // namespace
}  // namespace layerpipe::tests
