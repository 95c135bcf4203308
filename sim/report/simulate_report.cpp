#include "sim/report/simulate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/figures/figures.hpp"
#include "sim/metrics/result_json.hpp"
#include "sim/report/verdict.hpp"
#include "workloads/base/csv.hpp"
#include "workloads/base/table.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::report {
namespace {

using base::format_bytes;
using base::format_count;

std::string percent_of(std::int64_t part, std::int64_t whole) {
  const double share = whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  return fmt::format("{:.1f}", 100.0 * share);
}

/// Causes that some processor stalls for.
std::vector<figures::StallColumn> causes_seen(const metrics::Result& result) {
  std::vector<figures::StallColumn> causes;
  std::copy_if(figures::stall_causes.begin(), figures::stall_causes.end(),
               std::back_inserter(causes), [&](const figures::StallColumn& cause) {
                 return std::any_of(result.processors.begin(), result.processors.end(),
                                    [&](const metrics::ProcessorResult& processor) {
                                      return processor.stall_cycles.*cause.cycles > 0;
                                    });
               });
  return causes;
}

std::string processor_table(const metrics::Result& result) {
  const std::vector<figures::StallColumn> causes = causes_seen(result);
  std::vector<base::Table::Column> columns{{"Processor", "", base::Align::left},
                                           {"Layers", "", base::Align::left},
                                           {"Utilization", "%"},
                                           {"Busy/minibatch", "cycles"}};
  for (const figures::StallColumn& cause : causes) {
    columns.push_back({std::string(cause.title), "% of run"});
  }
  base::Table table(std::move(columns));
  for (const metrics::ProcessorResult& processor : result.processors) {
    std::vector<std::string> row{processor.name, figures::layer_ranges(result, processor),
                                 fmt::format("{:.1f}", 100.0 * processor.utilization),
                                 format_count(processor.busy_cycles_per_minibatch)};
    for (const figures::StallColumn& cause : causes) {
      row.push_back(percent_of(processor.stall_cycles.*cause.cycles, result.makespan_cycles));
    }
    table.add_row(std::move(row));
  }
  return table.text();
}

std::string memory_table(const metrics::Result& result) {
  std::vector<base::Table::Column> columns{{"Peak memory", "", base::Align::left}};
  for (const figures::MemoryPart& part : figures::memory_parts) {
    columns.push_back({std::string(part.title), part.key == "total" ? "at one date" : ""});
  }
  base::Table table(std::move(columns));
  for (const metrics::ProcessorResult& processor : result.processors) {
    std::vector<std::string> row{processor.name};
    for (const figures::MemoryPart& part : figures::memory_parts) {
      row.push_back(format_bytes(processor.peak_memory_bytes.*part.bytes));
    }
    table.add_row(std::move(row));
  }
  return table.text();
}

struct Way {
  std::string name;
  std::int64_t bytes = 0;
  double busy_fraction = 0.0;
};

/// Adds the busiest of `ways` to `table`, at most three that are used at all.
void add_busiest(base::Table& table, std::vector<Way> ways) {
  constexpr std::size_t most = 3;
  std::erase_if(ways, [](const Way& way) { return way.bytes == 0; });
  std::stable_sort(ways.begin(), ways.end(),
                   [](const Way& a, const Way& b) { return a.busy_fraction > b.busy_fraction; });
  if (ways.size() > most) ways.erase(ways.begin() + most, ways.end());
  for (const Way& way : ways) {
    table.add_row(
        {way.name, format_bytes(way.bytes), fmt::format("{:.1f}", 100.0 * way.busy_fraction)});
  }
}

std::string busiest_ways(const metrics::Result& result) {
  base::Table table({{"Busiest", "", base::Align::left}, {"Sent/minibatch", ""}, {"Busy", "%"}});
  std::vector<Way> channels;
  for (const metrics::ChannelResult& channel : result.channels) {
    channels.push_back({fmt::format("channel {} -> {}", channel.from, channel.to),
                        channel.bytes_per_minibatch, channel.busy_fraction});
  }
  std::vector<Way> links;
  for (const metrics::LinkResult& link : result.links) {
    if (!link.busy_fraction) continue;
    links.push_back({"link " + link.name, link.bytes_per_minibatch, *link.busy_fraction});
  }
  const bool is_silent =
      std::all_of(channels.begin(), channels.end(), [](const Way& way) { return way.bytes == 0; });
  if (is_silent) return {};
  add_busiest(table, std::move(channels));
  add_busiest(table, std::move(links));
  return table.text() + '\n';
}

}  // namespace

std::string SimulateReport::text() const {
  return fmt::format("{}\n{}\n{}\n{}\n{}{}", header(result_), processor_table(result_),
                     memory_table(result_), figures::sent_line(result_.communication_per_minibatch),
                     busiest_ways(result_), verdict(result_));
}

nlohmann::ordered_json SimulateReport::json() const { return to_json(result_); }

std::string SimulateReport::csv() const {
  std::vector<std::string> columns{"processor", "layers", "busy_cycles",
                                   "busy_cycles_per_minibatch", "utilization"};
  for (const figures::StallColumn& cause : figures::stall_causes) {
    columns.push_back(fmt::format("stall_{}_cycles", cause.key));
  }
  for (const figures::MemoryPart& part : figures::memory_parts) {
    columns.push_back(fmt::format("peak_memory_{}_bytes", part.key));
  }
  base::Csv csv(columns);
  for (const metrics::ProcessorResult& processor : result_.processors) {
    std::vector<std::string> row{processor.name,
                                 fmt::format("{}", fmt::join(processor.layers, ";")),
                                 base::csv_number(processor.busy_cycles),
                                 base::csv_number(processor.busy_cycles_per_minibatch),
                                 base::csv_number(processor.utilization)};
    for (const figures::StallColumn& cause : figures::stall_causes) {
      row.push_back(base::csv_number(processor.stall_cycles.*cause.cycles));
    }
    for (const figures::MemoryPart& part : figures::memory_parts) {
      row.push_back(base::csv_number(processor.peak_memory_bytes.*part.bytes));
    }
    csv.add_row(row);
  }
  return csv.text();
}

}  // namespace layerpipe::report
