#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/process/isolated_process.hpp"
#include "tests/support/measured_chain.hpp"
#include "tests/support/mesh_platform.hpp"
#include "tests/theory/stage_use.hpp"

// Uniform stages under all synchronous schedules: makespans, spans and micro-batches in flight that
// another program has found (reference figures R6), to the last cycle.
namespace layerpipe::tests {
namespace {

constexpr const char* figures = LAYERPIPE_SOURCE_DIR "/../shared/data/schedules_uniform.csv";
constexpr int most_processors = 8;

/// The figures have half cycles.
constexpr double scale = 2.0;

using Row = std::map<std::string, std::string>;

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) result.push_back(cell);
  return result;
}

std::vector<Row> read_rows() {
  std::ifstream file(figures);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = cells(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> values = cells(line);
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = values.at(i);
  }
  return rows;
}

std::string scheduler_name(const std::string& name) {
  static const std::map<std::string, std::string> names{
      {"gpipe", "gpipe"},           {"1f1b_flush", "1f1b"},
      {"eager_1f1b", "eager-1f1b"}, {"interleaved_1f1b", "interleaved-1f1b"},
      {"zb_h1", "zb-h1"},           {"zb_h2", "zb-h2"}};
  return names.at(name);
}

std::int64_t whole_cycles(const std::string& text) {
  const double cycles = scale * std::stod(text);
  if (cycles != std::round(cycles)) ADD_FAILURE() << text << " is no whole number of halves";
  return std::llround(cycles);
}

std::vector<std::int64_t> numbers(std::string hyphened) {
  for (char& c : hyphened) c = c == '-' ? ',' : c;
  std::vector<std::int64_t> result;
  for (const std::string& cell : cells(hyphened)) result.push_back(std::stoll(cell));
  return result;
}

StageUse expected_use(const Row& row) {
  return {whole_cycles(row.at("makespan")), whole_cycles(row.at("max_stage_span")),
          numbers(row.at("peak_inflight_released_at_B")),
          numbers(row.at("peak_inflight_released_at_W"))};
}

/// What is wrong with a row, if anything. `mesh` was loaded in this process.
std::string wrong_in(const Row& row, const machine::Machine& mesh) {
  const std::size_t processors = std::stoul(row.at("p"));
  const std::int64_t micro_batches = std::stoll(row.at("m"));
  const std::size_t chunks = std::stoul(row.at("v_chunks"));
  const LayerCosts costs{whole_cycles(row.at("tf")), whole_cycles(row.at("tb")),
                         whole_cycles(row.at("tw"))};
  const machine::Machine machine =
      with_latencies(first_processors(mesh, processors),
                     std::vector(processors, whole_cycles(row.at("comm_latency"))));
  const costs::Profile profile = costs::profile(
      machine, measured_chain(equal_layers(processors * chunks, costs), micro_batches),
      {.first_input_gradient = true, .micro_batches = micro_batches});
  const contract::Schedule schedule =
      scheduler::find_scheduler(scheduler_name(row.at("schedule")))
          .plan(profile, machine, evenly(micro_batches, static_cast<std::int64_t>(chunks)))
          .schedule;
  check(schedule, profile);
  const std::string expected = to_string(expected_use(row));
  std::string wrong;
  for (const auto& [who, use] :
       {std::pair("simulation", to_string(simulated_use(machine, schedule, 1))),
        std::pair("recurrence", to_string(recurrence_use(machine, schedule, 1)))}) {
    if (use == expected) continue;
    wrong += fmt::format("{} of {}: {}, expected {}\n", who, fmt::join(row, " "), use, expected);
  }
  return wrong;
}

TEST(UniformSchedules, AreThoseOfAnotherProgramToTheCycle) {
  if (!std::filesystem::exists(figures)) GTEST_SKIP() << figures << " is not there";
  const std::vector<Row> rows = read_rows();
  EXPECT_EQ(rows.size(), 282U);
  const std::string platform = write_mesh_platform(most_processors, false);
  EXPECT_EQ(process::run_isolated([&] {
              const machine::Machine mesh = engine::load_machine(platform);
              std::string wrong;
              for (const Row& row : rows) wrong += wrong_in(row, mesh);
              return wrong;
            }),
            "");
}

}  // namespace
}  // namespace layerpipe::tests
