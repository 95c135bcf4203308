#include "sim/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "sim/figures/figures.hpp"
#include "sim/report/delays_note.hpp"
#include "workloads/base/table.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::report {
namespace {

using base::format_count;
using base::format_percent;
using base::format_seconds;

std::vector<std::string> idle_processors(const metrics::Result& result) {
  std::vector<std::string> names;
  for (const metrics::ProcessorResult& processor : result.processors) {
    if (figures::is_idle(processor)) names.push_back(base::printable(processor.name));
  }
  return names;
}

std::size_t layer_count(const metrics::Result& result) {
  std::set<std::string> names;
  for (const metrics::ProcessorResult& processor : result.processors) {
    names.insert(processor.layers.begin(), processor.layers.end());
  }
  return names.size();
}

std::string idle_line(const metrics::Result& result) {
  const std::vector<std::string> idle = idle_processors(result);
  if (idle.empty()) return {};
  const auto layers = static_cast<std::int64_t>(layer_count(result));
  const std::int64_t with_layers = std::ranges::count_if(
      result.processors,
      [](const metrics::ProcessorResult& processor) { return !processor.layers.empty(); });
  const std::string reason = layers <= with_layers
                                 ? fmt::format("the network has no more than {} to distribute",
                                               format_count(layers, "layer", "layers"))
                                 : fmt::format("the placement of {} leaves them out",
                                               base::printable(figures::run_label(result)));
  return fmt::format("Idle: {} ({})\n", fmt::join(idle, ", "), reason);
}

/// The cause that costs most time between fill and drain.
figures::StallColumn main_wait(const metrics::StallCycles& stalls) {
  return *std::max_element(figures::stall_causes.begin() + 1, figures::stall_causes.end() - 1,
                           [&](const figures::StallColumn& a, const figures::StallColumn& b) {
                             return stalls.*a.cycles < stalls.*b.cycles;
                           });
}

std::string stalled(const metrics::Result& result) {
  const metrics::StallCycles stalls = figures::stalls_of_used(result);
  const auto all = static_cast<double>(std::max<std::int64_t>(total(stalls), 1));
  std::vector<std::string> shares;
  for (const figures::StallColumn& cause : figures::stall_causes) {
    const std::int64_t cycles = stalls.*cause.cycles;
    if (cycles == 0) continue;
    const double share = figures::stalled_share(result) * static_cast<double>(cycles) / all;
    shares.push_back(fmt::format("{} {}", cause.key, format_percent(share)));
  }
  std::string line = fmt::format("{} of the run on the processors used",
                                 format_percent(figures::stalled_share(result)));
  if (!shares.empty()) line += fmt::format(" ({})", fmt::join(shares, ", "));
  return line;
}

std::string against_bound(const metrics::Result& result) {
  const std::int64_t bound = result.bounds.slowest_processor_cycles;
  return fmt::format("{} of the bound, the slowest processor's {}",
                     format_percent(result.steady_state.period_cycles / static_cast<double>(bound)),
                     format_count(bound));
}

std::string latency_line(const metrics::Result& result) {
  if (!result.steady_state.latency) return missing_latency_note(result);
  const metrics::Latency& latency = *result.steady_state.latency;
  const std::string range = latency.least_cycles == latency.most_cycles
                                ? ""
                                : fmt::format(", {} to {}", format_count(latency.least_cycles),
                                              format_count(latency.most_cycles));
  return fmt::format("{} cycles ({}) a minibatch{}", figures::format_cycles(latency.mean_cycles),
                     figures::format_latency(result), range);
}

}  // namespace

std::string header(const metrics::Result& result) {
  return fmt::format(
      "{}, batch {}, on {}: {} of {} processors used, each of {}\nSchedule {}, iterations: "
      "{}\n{}{}{}",
      base::printable(result.workload), format_count(result.batch),
      base::printable(result.platform), result.processors_used, result.processors_given,
      figures::array_and_clock(result), figures::schedule_title(result.schedule, result.options),
      figures::iteration_count(result), figures::options_line(result.options), idle_line(result),
      delays_note(result.schedule, result.options));
}

std::string bound_by(const metrics::Result& result) {
  constexpr double always = 0.9995;  // 100.0 % when printed
  const figures::Busiest most = figures::busiest(result);
  const std::string busy =
      fmt::format("{}, {} busy", base::printable(most.name), format_percent(most.fraction));
  const metrics::StallCycles stalls = figures::stalls_of_used(result);
  const figures::StallColumn wait = main_wait(stalls);
  if (most.fraction >= always || stalls.*wait.cycles == 0) return busy;
  return fmt::format("waiting; main cause of stalls: {}; busiest: {}", wait.key, busy);
}

std::string missing_latency_note(const metrics::Result& result) {
  if (result.steady_state.latency) return {};
  if (const auto& growth = result.steady_state.latency_growth) {
    return fmt::format(
        "grew throughout the run, from {} to {} cycles: a part of the network gets "
        "ahead of the rest",
        figures::format_cycles(growth->from_cycles), figures::format_cycles(growth->to_cycles));
  }
  return "not known: too few minibatches have begun and ended in the steady state (more "
         "--iterations)";
}

std::string inexact_note(const metrics::Result& result) {
  if (result.steady_state.exact) return {};
  const std::int64_t most_in_flight = 2 * result.processors_used - 1;
  if (result.iterations <= most_in_flight) {
    return fmt::format(
        "not steady: a run of {} only fills the pipeline and drains it, the period is "
        "a mean over that; use --iterations above {}",
        format_count(result.iterations, "minibatch", "minibatches"), most_in_flight);
  }
  const metrics::SteadyState& steady = result.steady_state;
  const std::string mean =
      fmt::format("the mean over minibatches {} to {}", format_count(steady.first_minibatch),
                  format_count(steady.first_minibatch + steady.mean_over_minibatches - 1));
  if (!steady.relative_error_bound) {
    return fmt::format(
        "not exact, and without a bound: {}, of a run too short or not settled; a longer one "
        "(--iterations) may differ",
        mean);
  }
  return fmt::format(
      "not exact: at most {} off, {}{}", figures::format_bound(*steady.relative_error_bound), mean,
      steady.outcome == "limit" ? "; a longer run (--iterations) knows it better" : "");
}

std::string verdict(const metrics::Result& result) {
  const metrics::SteadyState& steady = result.steady_state;
  std::string text;
  const auto add = [&](std::string_view title, const std::string& line) {
    text += fmt::format("{:<12}{}\n", title, line);
  };
  add("Period", fmt::format("{} cycles ({}), {}", figures::format_cycles(steady.period_cycles),
                            format_seconds(steady.period_seconds), against_bound(result)));
  if (!steady.exact) add("", inexact_note(result));
  add("Throughput",
      fmt::format("{} samples/s, {} times one processor",
                  figures::format_rate(steady.samples_per_second),
                  fmt::format("{:.2f}", figures::speedup_over_one_processor(result))));
  add("Latency", latency_line(result));
  add("Bound by", bound_by(result));
  add("Stalled", stalled(result));
  return text;
}

}  // namespace layerpipe::report
