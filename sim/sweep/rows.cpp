#include "sim/sweep/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <vector>

#include "sim/figures/figures.hpp"
#include "workloads/base/csv.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::sweep {
namespace {

constexpr std::string_view done = "ok";
constexpr std::string_view failed = "failed";

std::vector<std::string> point_columns() {
  return {"point",
          "workload",
          "batch",
          "platform",
          "processors",
          "array",
          "dataflow",
          "weight_gradient_dataflow",
          "input_gradient",
          "clock_hertz",
          "bandwidth_bytes_per_second",
          "latency_seconds",
          "topology",
          "schedule",
          "split",
          "iterations"};
}

std::vector<std::string> result_columns() {
  std::vector<std::string> columns{"period_cycles",        "exact",
                                   "relative_error_bound", "samples_per_second",
                                   "processors_used",      "slowest_processor_cycles",
                                   "one_processor_cycles", "minibatches",
                                   "makespan_cycles",      "busy_cycles"};
  for (const figures::StallColumn& cause : figures::stall_causes) {
    columns.push_back(fmt::format("stall_{}_cycles", cause.key));
  }
  columns.insert(columns.end(),
                 {"mandatory_bytes_per_minibatch", "additional_weights_bytes_per_minibatch",
                  "additional_gradients_bytes_per_minibatch", "busiest_link_fraction"});
  std::ranges::move(figures::latency_columns(), std::back_inserter(columns));
  return columns;
}

std::vector<std::string> fields_of(const Point& point) {
  const file::PlatformSpec& machine = point.machine;
  const array::SystolicArray& array = machine.array;
  const bool is_generated = point.platform == nullptr;
  const auto if_generated = [&](std::string text) {
    return is_generated ? std::move(text) : std::string();
  };
  return {base::csv_number(point.number),
          point.workload->name,
          base::csv_number(point.batch),
          is_generated ? "" : base::printable(point.platform->name),
          base::csv_number(machine.processors),
          size_text(array),
          std::string(to_string(array.dataflow)),
          std::string(to_string(array.weight_gradient_dataflow)),
          std::string(array::to_string(array.input_gradient)),
          if_generated(base::csv_number(machine.clock_hertz)),
          if_generated(base::csv_number(machine.link_bytes_per_second)),
          if_generated(base::csv_number(machine.link_latency_seconds)),
          if_generated(std::string(to_string(machine.topology))),
          std::string(point.scheduler->name),
          std::string(to_string(point.split)),
          base::csv_number(point.iterations)};
}

std::int64_t busy_cycles(const metrics::Result& result) {
  std::int64_t sum = 0;
  for (const metrics::ProcessorResult& processor : result.processors) sum += processor.busy_cycles;
  return sum;
}

double busiest_link_fraction(const metrics::Result& result) {
  double most = 0.0;
  for (const metrics::LinkResult& link : result.links) {
    most = std::max(most, link.busy_fraction.value_or(0.0));
  }
  return most;
}

std::vector<std::string> fields_of(const metrics::Result& result) {
  const metrics::SteadyState& steady = result.steady_state;
  const metrics::StallCycles stalls = figures::stalls_of_used(result);
  const metrics::Communication& sent = result.communication_per_minibatch;
  std::vector<std::string> fields{
      base::csv_number(steady.period_cycles),
      steady.exact ? "true" : "false",
      steady.relative_error_bound ? base::csv_number(*steady.relative_error_bound) : std::string(),
      base::csv_number(steady.samples_per_second),
      base::csv_number(result.processors_used),
      base::csv_number(result.bounds.slowest_processor_cycles),
      base::csv_number(result.bounds.one_processor_cycles),
      base::csv_number(result.iterations),
      base::csv_number(result.makespan_cycles),
      base::csv_number(busy_cycles(result))};
  for (const figures::StallColumn& cause : figures::stall_causes)
    fields.push_back(base::csv_number(stalls.*cause.cycles));
  fields.insert(fields.end(), {base::csv_number(sent.mandatory_bytes),
                               base::csv_number(sent.additional_weights_bytes),
                               base::csv_number(sent.additional_gradients_bytes),
                               base::csv_number(busiest_link_fraction(result))});
  std::ranges::move(figures::latency_fields(steady), std::back_inserter(fields));
  return fields;
}

std::string joined(std::vector<std::string> point, std::string_view status,
                   const std::vector<std::string>& result, std::string_view message) {
  point.emplace_back(status);
  point.insert(point.end(), result.begin(), result.end());
  point.emplace_back(message);
  return base::csv_row(point);
}

bool has_status(const Point& point, std::string_view row, std::string_view status) {
  return row.starts_with(fmt::format("{},{},", point_fields(point), status));
}

}  // namespace

std::string header_of_points() { return base::csv_row(point_columns()); }

std::string header_of_rows() {
  return joined(point_columns(), "status", result_columns(), "message");
}

std::string point_fields(const Point& point) { return base::csv_row(fields_of(point)); }

std::string row(const Point& point, const metrics::Result& result) {
  return joined(fields_of(point), done, fields_of(result), "");
}

std::string row_without_result(const Point& point, std::string_view status,
                               std::string_view message) {
  return joined(fields_of(point), status, std::vector<std::string>(result_columns().size()),
                base::printable(message));
}

std::string row_of_failure(const Point& point, std::string_view message) {
  return row_without_result(point, failed, message);
}

std::optional<std::size_t> point_of(std::string_view row) {
  std::size_t number = 0;
  const char* end = row.data() + row.size();
  const auto [stop, status] = std::from_chars(row.data(), end, number);
  if (status != std::errc{} || stop == end || *stop != ',') return std::nullopt;
  return number;
}

bool has_result(const Point& point, std::string_view row) { return has_status(point, row, done); }

bool is_failure(const Point& point, std::string_view row) { return has_status(point, row, failed); }

}  // namespace layerpipe::sweep
