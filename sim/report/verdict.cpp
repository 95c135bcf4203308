#include "sim/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "sim/report/delays_note.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/table.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::sim {
namespace {

using workloads::format_count;
using workloads::format_percent;
using workloads::format_seconds;

std::vector<std::string> idle_processors(const Result& result) {
  std::vector<std::string> names;
  for (const ProcessorResult& processor : result.processors) {
    if (is_idle(processor)) names.push_back(workloads::printable(processor.name));
  }
  return names;
}

std::size_t layer_count(const Result& result) {
  std::set<std::string> names;
  for (const ProcessorResult& processor : result.processors) {
    names.insert(processor.layers.begin(), processor.layers.end());
  }
  return names.size();
}

std::string idle_line(const Result& result) {
  const std::vector<std::string> idle = idle_processors(result);
  if (idle.empty()) return {};
  const auto layers = static_cast<std::int64_t>(layer_count(result));
  const std::int64_t with_layers = std::ranges::count_if(
      result.processors,
      [](const ProcessorResult& processor) { return !processor.layers.empty(); });
  const std::string reason = layers <= with_layers
                                 ? fmt::format("the network has no more than {} to distribute",
                                               format_count(layers, "layer", "layers"))
                                 : fmt::format("the placement of {} leaves them out",
                                               workloads::printable(run_label(result)));
  return fmt::format("Idle: {} ({})\n", fmt::join(idle, ", "), reason);
}

/// The cause that costs most time between fill and drain.
StallColumn main_wait(const StallCycles& stalls) {
  return *std::max_element(stall_causes.begin() + 1, stall_causes.end() - 1,
                           [&](const StallColumn& a, const StallColumn& b) {
                             return stalls.*a.cycles < stalls.*b.cycles;
                           });
}

std::string stalled(const Result& result) {
  const StallCycles stalls = stalls_of_used(result);
  const auto all = static_cast<double>(std::max<std::int64_t>(total(stalls), 1));
  std::vector<std::string> shares;
  for (const StallColumn& cause : stall_causes) {
    const std::int64_t cycles = stalls.*cause.cycles;
    if (cycles == 0) continue;
    const double share = stalled_share(result) * static_cast<double>(cycles) / all;
    shares.push_back(fmt::format("{} {}", cause.key, format_percent(share)));
  }
  std::string line =
      fmt::format("{} of the run on the processors used", format_percent(stalled_share(result)));
  if (!shares.empty()) line += fmt::format(" ({})", fmt::join(shares, ", "));
  return line;
}

std::string against_bound(const Result& result) {
  const std::int64_t bound = result.bounds.slowest_processor_cycles;
  return fmt::format("{} of the bound, the slowest processor's {}",
                     format_percent(result.steady_state.period_cycles / static_cast<double>(bound)),
                     format_count(bound));
}

std::string latency_line(const Result& result) {
  if (!result.steady_state.latency) return missing_latency_note(result);
  const Latency& latency = *result.steady_state.latency;
  const std::string range = latency.least_cycles == latency.most_cycles
                                ? ""
                                : fmt::format(", {} to {}", format_count(latency.least_cycles),
                                              format_count(latency.most_cycles));
  return fmt::format("{} cycles ({}) a minibatch{}", format_cycles(latency.mean_cycles),
                     format_latency(result), range);
}

}  // namespace

std::string header(const Result& result) {
  return fmt::format(
      "{}, batch {}, on {}: {} of {} processors used, each of {}\nSchedule {}, iterations: "
      "{}\n{}{}{}",
      workloads::printable(result.workload), format_count(result.batch),
      workloads::printable(result.platform), result.processors_used, result.processors_given,
      array_and_clock(result), schedule_title(result.schedule, result.options),
      iteration_count(result), options_line(result.options), idle_line(result),
      delays_note(result.schedule, result.options));
}

std::string bound_by(const Result& result) {
  constexpr double always = 0.9995;  // 100.0 % when printed
  const Busiest most = busiest(result);
  const std::string busy =
      fmt::format("{}, {} busy", workloads::printable(most.name), format_percent(most.fraction));
  const StallCycles stalls = stalls_of_used(result);
  const StallColumn wait = main_wait(stalls);
  if (most.fraction >= always || stalls.*wait.cycles == 0) return busy;
  return fmt::format("waiting; main cause of stalls: {}; busiest: {}", wait.key, busy);
}

std::string missing_latency_note(const Result& result) {
  if (result.steady_state.latency) return {};
  if (const auto& growth = result.steady_state.latency_growth) {
    return fmt::format(
        "grew throughout the run, from {} to {} cycles: a part of the network gets "
        "ahead of the rest",
        format_cycles(growth->from_cycles), format_cycles(growth->to_cycles));
  }
  return "not known: too few minibatches have begun and ended in the steady state (more "
         "--iterations)";
}

std::string inexact_note(const Result& result) {
  if (result.steady_state.exact) return {};
  const std::int64_t most_in_flight = 2 * result.processors_used - 1;
  if (result.iterations <= most_in_flight) {
    return fmt::format(
        "not steady: a run of {} only fills the pipeline and drains it, the period is "
        "a mean over that; use --iterations above {}",
        format_count(result.iterations, "minibatch", "minibatches"), most_in_flight);
  }
  const SteadyState& steady = result.steady_state;
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
      "not exact: at most {} off, {}{}", format_bound(*steady.relative_error_bound), mean,
      steady.outcome == "limit" ? "; a longer run (--iterations) knows it better" : "");
}

std::string verdict(const Result& result) {
  const SteadyState& steady = result.steady_state;
  std::string text;
  const auto add = [&](std::string_view title, const std::string& line) {
    text += fmt::format("{:<12}{}\n", title, line);
  };
  add("Period", fmt::format("{} cycles ({}), {}", format_cycles(steady.period_cycles),
                            format_seconds(steady.period_seconds), against_bound(result)));
  if (!steady.exact) add("", inexact_note(result));
  add("Throughput",
      fmt::format("{} samples/s, {} times one processor", format_rate(steady.samples_per_second),
                  fmt::format("{:.2f}", speedup_over_one_processor(result))));
  add("Latency", latency_line(result));
  add("Bound by", bound_by(result));
  add("Stalled", stalled(result));
  return text;
}

}  // namespace layerpipe::sim
