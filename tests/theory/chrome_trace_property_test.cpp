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

#include "sim/process/isolated_process.hpp"
#include "sim/trace/json_trace.hpp"
#include "tests/support/traced_run.hpp"
#include "tests/support/traced_seeds.hpp"
#include "tests/theory/random_schedule.hpp"

// What the rules of trace events ask for, whatever is simulated.
namespace layerpipe::tests {
namespace {

using contract::Schedule;
using nlohmann::json;

constexpr std::int64_t minibatches = 12;

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
        add_slice(track, start, event);
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
  struct Seen {
    double end = 0.0;
    double whole_end = 0.0;
  };

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

  void add_slice(std::pair<int, int> track, std::int64_t start, const json& event) {
    std::vector<Slice>& slices = slices_[track];
    const bool is_processor = track.first == 1;
    // One cycle of 1 GHz is 1000 ps.
    const std::int64_t end = start + 1000 * event.at("args").at("cycles").get<std::int64_t>();
    const std::int64_t before = slices.empty() ? 0 : slices.back().second;
    if (is_processor ? start != before : start < before) {
      wrong_ += fmt::format("gap or overlap at {} ps\n", start);
    }
    const std::int64_t missing = end - start - picoseconds(event.at("dur"));
    if (missing < 0 || missing >= 2000) {
      wrong_ += fmt::format("duration differs from cycles at {} ps\n", start);
    }
    add_as_viewers_do(track, event.at("ts"), event.at("dur"));
    slices.emplace_back(start, end);
  }

  /// In doubles, and in whole nanoseconds.
  void add_as_viewers_do(std::pair<int, int> track, double start, double duration) {
    const auto whole = [](double microseconds) { return std::floor(microseconds * 1000.0); };
    const Seen now{start + duration, whole(start) + whole(duration)};
    const Seen before = std::exchange(seen_[track], now);
    if (start < before.end || whole(start) < before.whole_end) {
      wrong_ += fmt::format("viewers see an overlap at {} us\n", start);
    }
  }

  [[nodiscard]] bool is_in_slice(const Point& point) const {
    const auto slices = slices_.find(point.track);
    return slices != slices_.end() && std::ranges::any_of(slices->second, [&](const Slice& slice) {
             return slice.first <= point.date && point.date <= slice.second;
           });
  }

  std::map<std::pair<int, int>, std::vector<Slice>> slices_;
  std::map<std::pair<int, int>, Seen> seen_;  ///< the last slice of each track
  std::map<std::int64_t, std::vector<Point>> arrows_;
  std::map<std::string, std::int64_t> counters_;  ///< dates of the latest, in picoseconds
  std::string wrong_;
};

std::string wrong_chrome_trace(const machine::Machine& machine, std::uint64_t seed) {
  const Schedule schedule = random_schedule(seed);
  const ChromeTrace trace(process::run_isolated([&] {
    const events::Channels channels = events::used_channels(machine, schedule);
    std::ostringstream stream;
    trace::JsonTrace json_trace(stream, {machine, schedule, channels});
    TracedRun run(schedule, channels, std::nullopt);
    run.add(json_trace);
    run.simulate(machine, minibatches);
    return stream.str();
  }));
  if (trace.arrows() == uses(schedule, minibatches)) return trace.wrong();
  return fmt::format("{} arrows instead of {}\n", trace.arrows(), uses(schedule, minibatches)) +
         trace.wrong();
}

TEST(ChromeTraces, AreValid) { EXPECT_EQ(wrong_of_any(150, wrong_chrome_trace), ""); }

}  // namespace
}  // namespace layerpipe::tests
