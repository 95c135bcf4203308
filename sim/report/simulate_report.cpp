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

namespace layerpipe::sim {
namespace {

using workloads::format_bytes;
using workloads::format_count;

std::string percent_of(std::int64_t part, std::int64_t whole) {
  const double share = whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  return fmt::format("{:.1f}", 100.0 * share);
}

/// Causes that some processor stalls for.
std::vector<StallColumn> causes_seen(const Result& result) {
  std::vector<StallColumn> causes;
  std::copy_if(stall_causes.begin(), stall_causes.end(), std::back_inserter(causes),
               [&](const StallColumn& cause) {
                 return std::any_of(result.processors.begin(), result.processors.end(),
                                    [&](const ProcessorResult& processor) {
                                      return processor.stall_cycles.*cause.cycles > 0;
                                    });
               });
  return causes;
}

std::string processor_table(const Result& result) {
  const std::vector<StallColumn> causes = causes_seen(result);
  std::vector<Table::Column> columns{{"Processor", "", Align::left},
                                     {"Layers", "", Align::left},
                                     {"Utilization", "%"},
                                     {"Busy/minibatch", "cycles"}};
  for (const StallColumn& cause : causes) {
    columns.push_back({std::string(cause.title), "% of run"});
  }
  Table table(std::move(columns));
  for (const ProcessorResult& processor : result.processors) {
    std::vector<std::string> row{processor.name, layer_range(processor.layers),
                                 fmt::format("{:.1f}", 100.0 * processor.utilization),
                                 format_count(processor.busy_cycles_per_minibatch)};
    for (const StallColumn& cause : causes) {
      row.push_back(percent_of(processor.stall_cycles.*cause.cycles, result.makespan_cycles));
    }
    table.add_row(std::move(row));
  }
  return table.text();
}

std::string memory_table(const Result& result) {
  std::vector<Table::Column> columns{{"Peak memory", "", Align::left}};
  for (const MemoryPart& part : memory_parts) {
    columns.push_back({std::string(part.title), part.key == "total" ? "at one date" : ""});
  }
  Table table(std::move(columns));
  for (const ProcessorResult& processor : result.processors) {
    std::vector<std::string> row{processor.name};
    for (const MemoryPart& part : memory_parts) {
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
void add_busiest(Table& table, std::vector<Way> ways) {
  constexpr std::size_t most = 3;
  std::erase_if(ways, [](const Way& way) { return way.bytes == 0; });
  std::stable_sort(ways.begin(), ways.end(),
                   [](const Way& a, const Way& b) { return a.busy_fraction > b.busy_fraction; });
  ways.resize(std::min(ways.size(), most));
  for (const Way& way : ways) {
    table.add_row(
        {way.name, format_bytes(way.bytes), fmt::format("{:.1f}", 100.0 * way.busy_fraction)});
  }
}

std::string busiest_ways(const Result& result) {
  Table table({{"Busiest", "", Align::left}, {"Sent/minibatch", ""}, {"Busy", "%"}});
  std::vector<Way> channels;
  for (const ChannelResult& channel : result.channels) {
    channels.push_back({fmt::format("channel {} -> {}", channel.from, channel.to),
                        channel.bytes_per_minibatch, channel.busy_fraction});
  }
  std::vector<Way> links;
  for (const LinkResult& link : result.links) {
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
                     memory_table(result_), sent_line(result_.communication_per_minibatch),
                     busiest_ways(result_), verdict(result_));
}

nlohmann::ordered_json SimulateReport::json() const { return to_json(result_); }

std::string SimulateReport::csv() const {
  std::vector<std::string> columns{"processor", "layers", "busy_cycles",
                                   "busy_cycles_per_minibatch", "utilization"};
  for (const StallColumn& cause : stall_causes) {
    columns.push_back(fmt::format("stall_{}_cycles", cause.key));
  }
  for (const MemoryPart& part : memory_parts) {
    columns.push_back(fmt::format("peak_memory_{}_bytes", part.key));
  }
  Csv csv(columns);
  for (const ProcessorResult& processor : result_.processors) {
    std::vector<std::string> row{
        processor.name, fmt::format("{}", fmt::join(processor.layers, ";")),
        csv_number(processor.busy_cycles), csv_number(processor.busy_cycles_per_minibatch),
        csv_number(processor.utilization)};
    for (const StallColumn& cause : stall_causes) {
      row.push_back(csv_number(processor.stall_cycles.*cause.cycles));
    }
    for (const MemoryPart& part : memory_parts) {
      row.push_back(csv_number(processor.peak_memory_bytes.*part.bytes));
    }
    csv.add_row(row);
  }
  return csv.text();
}

}  // namespace layerpipe::sim
