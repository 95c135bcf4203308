#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/process/isolated_process.hpp"
#include "sim/trace/svg_trace.hpp"
#include "tests/support/traced_run.hpp"
#include "tests/support/traced_seeds.hpp"
#include "tests/theory/random_schedule.hpp"

// What has to hold for pictures, whatever is simulated.
namespace layerpipe::tests {
namespace {

using contract::Schedule;
using metrics::StallCause;

constexpr std::int64_t minibatches = 12;

/// A bar as its rectangle shows it and as its text says.
struct Bar {
  double x = 0.0;
  double width = 0.0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::string details;
};

std::int64_t number(std::string text) {
  std::erase(text, ',');
  return std::stoll(text);
}

/// "delta'' b, minibatch 3", "5 cycles (5.0 ns), from 1,000 to 1,005".
Bar bar_of(const pugi::xml_node& node) {
  const pugi::xml_node rectangle = node.child("rect");
  const std::string title = node.child_value("title");
  const std::size_t from = title.rfind(" from ") + 6;
  const std::size_t to = title.rfind(" to ");
  return {rectangle.attribute("x").as_double(), rectangle.attribute("width").as_double(),
          number(title.substr(from, to - from)), number(title.substr(to + 4)),
          title.substr(0, title.find('\n'))};
}

/// A picture as a program sees it.
struct Picture {
  double left = 0.0;  ///< where its axis begins
  double right = 0.0;
  std::vector<std::vector<Bar>> lines;  ///< from the uppermost
  std::size_t arrows = 0;
};

/// A bar lies around the middle of its line. The axis is the path "M80.00 216.00H940.00".
Picture picture_of(const std::string& svg) {
  Picture picture;
  pugi::xml_document document;
  if (!document.load_string(svg.c_str(), pugi::parse_full)) return picture;
  const auto axis = document.select_node("//path[@class='axis'][contains(@d, 'H')]").node();
  const std::string line = axis.attribute("d").value();
  picture.left = std::stod(line.substr(1));
  picture.right = std::stod(line.substr(line.find('H') + 1));
  picture.arrows = document.select_nodes("//g[@class='arrows']/path").size();
  std::map<double, std::vector<Bar>> lines;
  for (const auto& found : document.select_nodes("//g[@class='bars']/g")) {
    const pugi::xml_node rectangle = found.node().child("rect");
    const double middle =
        rectangle.attribute("y").as_double() + rectangle.attribute("height").as_double() / 2;
    lines[middle].push_back(bar_of(found.node()));
  }
  for (auto& [middle, bars] : lines) picture.lines.push_back(std::move(bars));
  return picture;
}

/// Bars lie where their dates are on the axis, to a hundredth of a pixel, and do not overlap.
std::string wrong_places(const Picture& picture, const std::vector<Bar>& bars,
                         std::int64_t makespan) {
  const auto is_at = [&](double x, std::int64_t date) {
    const double share = static_cast<double>(date) / static_cast<double>(makespan);
    return std::abs(x - picture.left - (picture.right - picture.left) * share) < 0.011;
  };
  std::string wrong;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    if (!is_at(bar.x, bar.start) || !is_at(bar.x + bar.width, bar.end)) {
      wrong += fmt::format("'{}' is not where it should be\n", bar.details);
    }
    if (i > 0 &&
        (bar.start < bars[i - 1].end || bar.x < bars[i - 1].x + bars[i - 1].width - 0.011)) {
      wrong += fmt::format("'{}' overlaps\n", bar.details);
    }
  }
  return wrong;
}

/// Bars without gap from 0 to the makespan, whose sums are those of the report.
std::string wrong_line(const std::vector<Bar>& bars, const metrics::TimeUse& expected,
                       std::int64_t makespan) {
  metrics::TimeUse found;
  std::int64_t end = 0;
  for (const Bar& bar : bars) {
    if (bar.start != end) return fmt::format("gap before '{}'\n", bar.details);
    end = bar.end;
    bool is_stall = false;
    for (const StallCause cause : metrics::all_stall_causes) {
      if (bar.details != fmt::format("idle, stall {}", to_string(cause))) continue;
      is_stall = true;
      of_cause(found.stalls, cause) += bar.end - bar.start;
    }
    if (!is_stall) found.busy += bar.end - bar.start;
  }
  return end == makespan && is_equal(found, expected) ? "" : "sums differ from the report's\n";
}

std::string wrong_picture(const machine::Machine& machine, std::uint64_t seed) {
  const Schedule schedule = random_schedule(seed);
  const events::Channels channels = events::used_channels(machine, schedule);
  std::ostringstream stream;
  trace::SvgTrace svg(stream, {machine, schedule, channels});
  TracedRun run(schedule, channels, std::nullopt);
  run.add(svg);
  run.simulate(machine, minibatches);
  std::set<std::size_t> used;
  for (const contract::Op& op : schedule.ops) used.insert(op.processor);
  const Picture picture = picture_of(stream.str());
  if (run.makespan() == 0) return picture.lines.empty() ? "" : "bars without time\n";
  if (picture.lines.size() < used.size()) return "a processor has no line\n";
  std::string wrong;
  if (picture.arrows != uses(schedule, minibatches)) wrong += "not one arrow for each use\n";
  std::size_t line = 0;
  for (const std::size_t p : used) {
    wrong += wrong_line(picture.lines[line++], run.time_use()[p], run.makespan());
  }
  for (const auto& bars : picture.lines) wrong += wrong_places(picture, bars, run.makespan());
  return wrong;
}

// Busy and stalled cycles of the report are the second source of the sums.
TEST(Pictures, TileEveryLineAndSumToTheReport) {
  EXPECT_EQ(
      wrong_of_any(100,
                   [](const machine::Machine& machine, std::uint64_t seed) {
                     return process::run_isolated([&] { return wrong_picture(machine, seed); });
                   }),
      "");
}

}  // namespace
}  // namespace layerpipe::tests
