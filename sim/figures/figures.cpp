#include "sim/figures/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/placement/allocation.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/figures/machine_text.hpp"
#include "workloads/base/csv.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::figures {

namespace {

/// ", delays S", ", delays 2,1,0", ", delays 0" if all are, "" for the schedule's own.
std::string delays_suffix(const nlohmann::ordered_json& options) {
  const auto delays = options.find("delays");
  if (delays == options.end() || delays->is_null() || *delays == "2S") return {};
  if (options.contains("auto_delays")) return ", delays auto";
  if (delays->is_string()) return ", delays " + delays->get<std::string>();
  return fmt::format(", delays {}", delays_text(delays->get<std::vector<std::int64_t>>()));
}

/// ", stages 7,5,4"; "" where the schedule has placed layers.
std::string stages_suffix(const nlohmann::ordered_json& options) {
  const auto stages = options.find("stages");
  if (stages == options.end()) return {};
  return fmt::format(", stages {}", fmt::join(stages->get<std::vector<std::int64_t>>(), ","));
}

}  // namespace

std::string delays_text(const std::vector<std::int64_t>& delays) {
  constexpr std::size_t longest = 6;
  const bool are_equal = std::ranges::count(delays, delays.front()) == std::ssize(delays);
  if (are_equal) return fmt::format("{}", delays.front());
  if (delays.size() <= longest) return fmt::format("{}", fmt::join(delays, ","));
  return fmt::format("{},{},...,{}", delays[0], delays[1], delays.back());
}

std::optional<std::string> file_name(const nlohmann::ordered_json& options) {
  auto file = options.find("allocation");
  if (file == options.end()) file = options.find("schedule_file");
  if (file == options.end()) return std::nullopt;
  return std::filesystem::path(file->get<std::string>()).filename().string();
}

std::string schedule_title(const std::string& schedule, const nlohmann::ordered_json& options) {
  const auto file = file_name(options);
  const std::string_view by = options.contains("schedule_file") ? "of" : "placed by";
  const std::string placed =
      file ? fmt::format("{} {} {}", schedule, by, base::printable(*file)) : schedule;
  return placed + stages_suffix(options) + delays_suffix(options);
}

std::string run_label(const metrics::Result& result) {
  return file_name(result.options).value_or(result.schedule) + stages_suffix(result.options) +
         delays_suffix(result.options);
}

std::string options_line(const nlohmann::ordered_json& options) {
  using Json = nlohmann::ordered_json;
  const placement::SchedulerOptions defaults;
  std::vector<std::string> set;
  const auto add = [&](std::string_view key, const Json& by_default, auto format) {
    const auto value = options.find(key);
    if (value == options.end() || value->is_null() || *value == by_default) return;
    std::string name(key);
    std::replace(name.begin(), name.end(), '_', ' ');
    set.push_back(fmt::format("{} {}", name, format(*value)));
  };
  const auto word = [](const Json& value) { return value.get<std::string>(); };
  const auto number = [](const Json& value) { return value.dump(); };
  const auto bytes = [](const Json& value) {
    return base::format_bytes(value.get<std::int64_t>());
  };
  add("alpha", defaults.alpha, number);
  add("objective", to_string(defaults.objective), word);
  add("split", to_string(defaults.split), word);
  add("priority", to_string(placement::Allocation().priority), word);
  add("chunks", nullptr, number);
  add("micro_batches", nullptr, number);
  add("placement", to_string(defaults.placement), word);
  add("first_input_gradient", false, [](const Json&) { return "computed"; });
  add("max_lent_weight_bytes", nullptr, bytes);
  add("max_lent_bytes", nullptr, bytes);
  const std::string line =
      set.empty() ? std::string() : fmt::format("Options: {}\n", fmt::join(set, ", "));
  return line + overrides_line(options);
}

std::string sent_line(const metrics::Communication& bytes) {
  return fmt::format("Sent per minibatch: {} mandatory; additional: {} weights, {} gradients\n",
                     base::format_bytes(bytes.mandatory_bytes),
                     base::format_bytes(bytes.additional_weights_bytes),
                     base::format_bytes(bytes.additional_gradients_bytes));
}

std::string iteration_count(const metrics::Result& result) {
  std::string count = base::format_count(result.iterations);
  if (result.iterations == result.iterations_requested) return count;
  return fmt::format("{} of {} at most", count, base::format_count(result.iterations_requested));
}

bool is_idle(const metrics::ProcessorResult& processor) {
  return processor.layers.empty() && processor.busy_cycles_per_minibatch == 0;
}

metrics::StallCycles stalls_of_used(const metrics::Result& result) {
  metrics::StallCycles sum;
  for (const metrics::ProcessorResult& processor : result.processors) {
    if (is_idle(processor)) continue;
    for (const StallColumn& cause : stall_causes) {
      sum.*cause.cycles += processor.stall_cycles.*cause.cycles;
    }
  }
  return sum;
}

double stalled_share(const metrics::Result& result) {
  const auto run = static_cast<double>(result.makespan_cycles * result.processors_used);
  return run > 0.0 ? static_cast<double>(total(stalls_of_used(result))) / run : 0.0;
}

std::int64_t peak_bytes_of_fullest(const metrics::Result& result) {
  std::int64_t most = 0;
  for (const metrics::ProcessorResult& processor : result.processors) {
    most = std::max(most, processor.peak_memory_bytes.total);
  }
  return most;
}

std::int64_t greatest_staleness(const metrics::Result& result) {
  std::int64_t greatest = 0;
  for (const metrics::LayerResult& layer : result.layers)
    greatest = std::max(greatest, layer.staleness);
  return greatest;
}

double stalled_share_of_period(const metrics::Result& result) {
  double utilization = 0.0;
  for (const metrics::ProcessorResult& processor : result.processors)
    utilization += processor.utilization;
  return 1.0 - utilization / static_cast<double>(result.processors_used);
}

std::string format_latency(const metrics::Result& result) {
  const metrics::SteadyState& steady = result.steady_state;
  if (!steady.latency) return "-";
  return base::format_seconds(steady.latency->mean_cycles / steady.period_cycles *
                              steady.period_seconds);
}

std::vector<std::string> latency_columns() {
  return {"latency_mean_cycles", "latency_least_cycles", "latency_most_cycles"};
}

std::vector<std::string> latency_fields(const metrics::SteadyState& steady) {
  if (!steady.latency) return std::vector<std::string>(latency_columns().size());
  return {base::csv_number(steady.latency->mean_cycles),
          base::csv_number(steady.latency->least_cycles),
          base::csv_number(steady.latency->most_cycles)};
}

double speedup_over_one_processor(const metrics::Result& result) {
  return static_cast<double>(result.bounds.one_processor_cycles) /
         result.steady_state.period_cycles;
}

std::string array_and_clock(const metrics::Result& result) {
  return fmt::format("{} at {}", array_text(result.options),
                     format_frequency(result.options.value("clock_hertz", 0.0)));
}

Busiest busiest(const metrics::Result& result) {
  const auto slowest =
      std::max_element(result.processors.begin(), result.processors.end(),
                       [](const metrics::ProcessorResult& a, const metrics::ProcessorResult& b) {
                         return std::pair{a.utilization, a.busy_cycles_per_minibatch} <
                                std::pair{b.utilization, b.busy_cycles_per_minibatch};
                       });
  Busiest best{"processor " + slowest->name, slowest->utilization};
  for (const metrics::LinkResult& link : result.links) {
    const double fraction = link.busy_fraction.value_or(0.0);
    if (fraction > best.fraction) best = {"link " + link.name, fraction};
  }
  constexpr double visible = 0.0005;
  const double of_others = best.fraction;
  for (const metrics::ChannelResult& channel : result.channels) {
    if (channel.busy_fraction <= std::max(of_others + visible, best.fraction)) continue;
    best = {fmt::format("channel {} -> {}", channel.from, channel.to), channel.busy_fraction};
  }
  return best;
}

std::string format_cycles(double cycles) {
  const double tenths = std::round(cycles * 10.0);
  const std::string whole = base::format_count(static_cast<std::int64_t>(tenths / 10.0));
  const double rest = std::fmod(tenths, 10.0);
  return rest == 0.0 ? whole : fmt::format("{}.{}", whole, rest);
}

namespace {

/// Of a positive number below 100.
std::string three_digits(double value) {
  std::string scientific = fmt::format("{:.2e}", value);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  constexpr int least_written_out = -6;
  if (exponent < least_written_out) return scientific;
  return fmt::format("{:.{}f}", value, 2 - exponent);
}

}  // namespace

std::string format_rate(double per_second) {
  if (per_second > 0.0 && per_second < 99.95) return three_digits(per_second);
  const std::string text = format_cycles(per_second);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string format_frequency(double hertz) {
  constexpr std::array<std::string_view, 4> units{"Hz", "kHz", "MHz", "GHz"};
  double value = std::stod(fmt::format("{:.2e}", hertz));
  std::size_t unit = 0;
  for (; unit + 1 < units.size() && value >= 1000.0; ++unit) value /= 1000.0;
  if (value < 1000.0) return fmt::format("{:.12g} {}", value, units.at(unit));
  return fmt::format("{} {}", base::format_count(std::llround(value)), units.at(unit));
}

std::string format_bound(double ratio) {
  const double percent = 100.0 * ratio;
  if (percent <= 0.0) return "0 %";
  const double unit = std::pow(10.0, std::floor(std::log10(percent)) - 1.0);
  constexpr double rounding = 1.0 - 1e-12;
  return fmt::format("{:.6g} %", std::ceil(percent / unit * rounding) * unit);
}

std::string layer_ranges(const metrics::Result& result, const metrics::ProcessorResult& processor) {
  if (processor.layers.empty()) return "-";
  std::vector<std::string> ranges;
  std::string_view first;
  std::string_view last;
  const auto end_range = [&] {
    if (first.empty()) return;
    ranges.push_back(first == last ? std::string(first) : fmt::format("{}..{}", first, last));
    first = {};
  };
  auto next = processor.layers.begin();
  for (const metrics::LayerResult& layer : result.layers) {
    if (next == processor.layers.end() || *next != layer.name) {
      end_range();
      continue;
    }
    if (first.empty()) first = *next;
    last = *next++;
  }
  end_range();
  return fmt::format("{}", fmt::join(ranges, ", "));
}

}  // namespace layerpipe::figures
