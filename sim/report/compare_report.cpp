#include "sim/report/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/figures/figures.hpp"
#include "sim/metrics/result_json.hpp"
#include "sim/report/delays_note.hpp"
#include "sim/report/verdict.hpp"
#include "workloads/base/csv.hpp"
#include "workloads/base/table.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::report {
namespace {

using base::format_bytes;
using base::format_count;

/// Of what all rows have in common.
std::string common_options_line(const std::vector<metrics::Result>& results) {
  const std::string line = figures::options_line(results.front().options);
  const bool is_common = std::ranges::all_of(results, [&](const metrics::Result& result) {
    return figures::options_line(result.options) == line;
  });
  return is_common ? line : std::string();
}

std::string title(const std::vector<metrics::Result>& results) {
  const metrics::Result& first = results.front();
  const bool stopped_early =
      std::any_of(results.begin(), results.end(), [](const metrics::Result& result) {
        return result.iterations < result.iterations_requested;
      });
  return fmt::format("{}, batch {}, on {}: {} of {}, iterations: {}{}\n{}",
                     base::printable(first.workload), format_count(first.batch),
                     base::printable(first.platform),
                     format_count(first.processors_given, "processor", "processors"),
                     figures::array_and_clock(first), format_count(first.iterations_requested),
                     stopped_early ? " at most" : "", common_options_line(results));
}

}  // namespace

double CompareReport::speedup(const metrics::Result& result) const {
  return results_.front().steady_state.period_cycles / result.steady_state.period_cycles;
}

std::string CompareReport::text() const {
  base::Table table({{"Schedule", "", base::Align::left},
                     {"Period", "cycles"},
                     {"Speed-up", ""},
                     {"Throughput", "samples/s"},
                     {"Latency", ""},
                     {"Used", ""},
                     {"Slowest processor", "cycles"},
                     {"Stale", "most"},
                     {"Sent a minibatch", "mandatory"},
                     {"", "additional"},
                     {"Peak memory", "fullest"},
                     {"Stalled", "%"}});
  std::string notes;
  for (const metrics::Result& result : results_) {
    const metrics::Communication& sent = result.communication_per_minibatch;
    const std::string mark = result.steady_state.exact ? "" : "~";
    table.add_row({figures::run_label(result),
                   mark + figures::format_cycles(result.steady_state.period_cycles),
                   fmt::format("{:.2f}", speedup(result)),
                   figures::format_rate(result.steady_state.samples_per_second),
                   figures::format_latency(result), std::to_string(result.processors_used),
                   format_count(result.bounds.slowest_processor_cycles),
                   std::to_string(figures::greatest_staleness(result)),
                   format_bytes(sent.mandatory_bytes),
                   format_bytes(sent.additional_weights_bytes + sent.additional_gradients_bytes),
                   format_bytes(figures::peak_bytes_of_fullest(result)),
                   fmt::format("{:.1f}", 100.0 * figures::stalled_share_of_period(result))});
    if (!result.steady_state.exact) {
      notes += fmt::format("~ {}: {}\n", base::printable(figures::run_label(result)),
                           inexact_note(result));
    }
    if (!result.steady_state.latency) {
      notes += fmt::format("- {}: latency {}\n", base::printable(figures::run_label(result)),
                           missing_latency_note(result));
    }
    notes += delays_note(result.schedule, result.options);
  }
  return fmt::format("{}\n{}{}", title(results_), table.text(), notes);
}

nlohmann::ordered_json CompareReport::json() const {
  nlohmann::ordered_json schedules = nlohmann::ordered_json::array();
  for (const metrics::Result& result : results_) {
    nlohmann::ordered_json& entry = schedules.emplace_back(to_json(result));
    entry["speedup"] = speedup(result);
    entry["fullest_processor_peak_memory_bytes"] = figures::peak_bytes_of_fullest(result);
  }
  return {{"schedules", std::move(schedules)}};
}

std::string CompareReport::csv() const {
  base::Csv csv({"schedule",
                 "period_cycles",
                 "period_seconds",
                 "exact",
                 "samples_per_second",
                 "speedup",
                 "processors_used",
                 "slowest_processor_cycles",
                 "makespan_cycles",
                 "mandatory_bytes_per_minibatch",
                 "additional_weights_bytes_per_minibatch",
                 "additional_gradients_bytes_per_minibatch",
                 "stalled_fraction",
                 "iterations",
                 "iterations_requested",
                 "greatest_staleness",
                 "fullest_processor_peak_memory_bytes",
                 "relative_error_bound",
                 "latency_mean_cycles",
                 "latency_least_cycles",
                 "latency_most_cycles"});
  for (const metrics::Result& result : results_) {
    const metrics::SteadyState& steady = result.steady_state;
    const metrics::Communication& sent = result.communication_per_minibatch;
    const std::vector<std::string> latency = figures::latency_fields(steady);
    csv.add_row({figures::run_label(result),
                 base::csv_number(steady.period_cycles),
                 base::csv_number(steady.period_seconds),
                 steady.exact ? "true" : "false",
                 base::csv_number(steady.samples_per_second),
                 base::csv_number(speedup(result)),
                 base::csv_number(result.processors_used),
                 base::csv_number(result.bounds.slowest_processor_cycles),
                 base::csv_number(result.makespan_cycles),
                 base::csv_number(sent.mandatory_bytes),
                 base::csv_number(sent.additional_weights_bytes),
                 base::csv_number(sent.additional_gradients_bytes),
                 base::csv_number(figures::stalled_share_of_period(result)),
                 base::csv_number(result.iterations),
                 base::csv_number(result.iterations_requested),
                 base::csv_number(figures::greatest_staleness(result)),
                 base::csv_number(figures::peak_bytes_of_fullest(result)),
                 steady.relative_error_bound ? base::csv_number(*steady.relative_error_bound) : "",
                 latency[0],
                 latency[1],
                 latency[2]});
  }
  return csv.text();
}

}  // namespace layerpipe::report
