#include "sim/report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "scheduler/scheduler.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::sim {

namespace {

/// ", delays S", ", delays 2,1,0", "" for the schedule's own.
std::string delays_suffix(const nlohmann::ordered_json& options) {
  const auto delays = options.find("delays");
  if (delays == options.end() || delays->is_null() || *delays == "2S") return {};
  if (options.contains("auto_delays")) return ", delays auto";
  if (delays->is_string()) return ", delays " + delays->get<std::string>();
  return fmt::format(", delays {}", fmt::join(delays->get<std::vector<std::int64_t>>(), ","));
}

}  // namespace

std::optional<std::string> allocation_name(const nlohmann::ordered_json& options) {
  const auto file = options.find("allocation");
  if (file == options.end()) return std::nullopt;
  return std::filesystem::path(file->get<std::string>()).filename().string();
}

std::string schedule_title(const std::string& schedule, const nlohmann::ordered_json& options) {
  const auto file = allocation_name(options);
  const std::string placed =
      file ? fmt::format("{} placed by {}", schedule, workloads::printable(*file)) : schedule;
  return placed + delays_suffix(options);
}

std::string run_label(const Result& result) {
  return allocation_name(result.options).value_or(result.schedule) + delays_suffix(result.options);
}

std::string options_line(const nlohmann::ordered_json& options) {
  using Json = nlohmann::ordered_json;
  const scheduler::SchedulerOptions defaults;
  std::vector<std::string> set;
  const auto add = [&](std::string_view key, const Json& by_default, auto format) {
    const auto value = options.find(key);
    if (value == options.end() || *value == by_default) return;
    std::string name(key);
    std::replace(name.begin(), name.end(), '_', ' ');
    set.push_back(fmt::format("{} {}", name, format(*value)));
  };
  const auto word = [](const Json& value) { return value.get<std::string>(); };
  const auto number = [](const Json& value) { return value.dump(); };
  const auto bytes = [](const Json& value) {
    return workloads::format_bytes(value.get<std::int64_t>());
  };
  add("alpha", defaults.alpha, number);
  add("objective", to_string(defaults.objective), word);
  add("split", to_string(defaults.split), word);
  add("first_input_gradient", false, [](const Json&) { return "computed"; });
  add("max_lent_weight_bytes", nullptr, bytes);
  add("max_lent_bytes", nullptr, bytes);
  return set.empty() ? std::string() : fmt::format("Options: {}\n", fmt::join(set, ", "));
}

std::string sent_line(const Communication& bytes) {
  return fmt::format("Sent per minibatch: {} mandatory; additional: {} weights, {} gradients\n",
                     workloads::format_bytes(bytes.mandatory_bytes),
                     workloads::format_bytes(bytes.additional_weights_bytes),
                     workloads::format_bytes(bytes.additional_gradients_bytes));
}

std::string iteration_count(const Result& result) {
  std::string count = workloads::format_count(result.iterations);
  if (result.iterations == result.iterations_requested) return count;
  return fmt::format("{} of {} at most", count,
                     workloads::format_count(result.iterations_requested));
}

bool is_idle(const ProcessorResult& processor) { return processor.layers.empty(); }

StallCycles stalls_of_used(const Result& result) {
  StallCycles sum;
  for (const ProcessorResult& processor : result.processors) {
    if (is_idle(processor)) continue;
    for (const StallColumn& cause : stall_causes) {
      sum.*cause.cycles += processor.stall_cycles.*cause.cycles;
    }
  }
  return sum;
}

double stalled_share(const Result& result) {
  const auto run = static_cast<double>(result.makespan_cycles * result.processors_used);
  return run > 0.0 ? static_cast<double>(total(stalls_of_used(result))) / run : 0.0;
}

std::int64_t peak_bytes_of_fullest(const Result& result) {
  std::int64_t most = 0;
  for (const ProcessorResult& processor : result.processors) {
    most = std::max(most, processor.peak_memory_bytes.total);
  }
  return most;
}

std::int64_t greatest_staleness(const Result& result) {
  std::int64_t greatest = 0;
  for (const LayerResult& layer : result.layers) greatest = std::max(greatest, layer.staleness);
  return greatest;
}

double stalled_share_of_period(const Result& result) {
  double utilization = 0.0;
  for (const ProcessorResult& processor : result.processors) utilization += processor.utilization;
  return 1.0 - utilization / static_cast<double>(result.processors_used);
}

double latency_seconds(const Result& result) {
  const SteadyState& steady = result.steady_state;
  return steady.latency.mean_cycles / steady.period_cycles * steady.period_seconds;
}

double speedup_over_one_processor(const Result& result) {
  return static_cast<double>(result.bounds.one_processor_cycles) /
         result.steady_state.period_cycles;
}

std::string array_and_clock(const Result& result) {
  return fmt::format("{} at {:.6g} GHz", result.options.value("array", ""),
                     result.options.value("clock_hertz", 0.0) / 1e9);
}

Busiest busiest(const Result& result) {
  const auto slowest =
      std::max_element(result.processors.begin(), result.processors.end(),
                       [](const ProcessorResult& a, const ProcessorResult& b) {
                         return std::pair{a.utilization, a.busy_cycles_per_minibatch} <
                                std::pair{b.utilization, b.busy_cycles_per_minibatch};
                       });
  Busiest best{"processor " + slowest->name, slowest->utilization};
  for (const LinkResult& link : result.links) {
    if (link.busy_fraction > best.fraction) best = {"link " + link.name, link.busy_fraction};
  }
  return best;
}

std::string format_cycles(double cycles) {
  const double tenths = std::round(cycles * 10.0);
  const std::string whole = workloads::format_count(static_cast<std::int64_t>(tenths / 10.0));
  const double rest = std::fmod(tenths, 10.0);
  return rest == 0.0 ? whole : fmt::format("{}.{}", whole, rest);
}

std::string format_rate(double per_second) {
  const std::string text = format_cycles(per_second);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string format_bound(double ratio) {
  const double percent = 100.0 * ratio;
  if (percent <= 0.0) return "0 %";
  const double unit = std::pow(10.0, std::floor(std::log10(percent)) - 1.0);
  constexpr double rounding = 1.0 - 1e-12;
  return fmt::format("{:.6g} %", std::ceil(percent / unit * rounding) * unit);
}

std::string layer_range(const std::vector<std::string>& layers) {
  if (layers.empty()) return "-";
  if (layers.size() == 1) return layers.front();
  return fmt::format("{}..{}", layers.front(), layers.back());
}

}  // namespace layerpipe::sim
