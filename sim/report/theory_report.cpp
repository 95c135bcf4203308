#include "sim/report/theory_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "sim/figures/figures.hpp"
#include "sim/report/period_answers.hpp"
#include "sim/report/verdict.hpp"
#include "workloads/base/csv.hpp"
#include "workloads/base/table.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::report {
namespace {

using base::format_bytes;
using base::format_count;
using contract::LayerDelays;
using theory::DataflowEdge;
using theory::DataflowGraph;
using theory::DataflowNode;
using theory::LayerMemory;
using theory::NodeKind;

/// Small graphs are shown edge by edge.
constexpr std::size_t most_edges_shown = 40;

bool has_stage(const DataflowNode& node) {
  return node.kind != NodeKind::input && node.kind != NodeKind::output;
}

/// "FP of stage 1", "input".
std::string kind_and_stage(const DataflowGraph& graph, theory::NodeId id) {
  const std::string name = describe(graph, id);
  if (!has_stage(graph.nodes[id])) return name;
  return fmt::format("{} of stage {}", name.substr(0, name.find('(')), graph.nodes[id].stage);
}

/// Edges that look the same and have the same delays after each step are one row.
struct Row {
  std::string name;
  std::size_t edges = 0;
  std::vector<std::int64_t> delays;  ///< [step]
};

std::vector<Row> rows(const run::Theory& theory) {
  const DataflowGraph& graph = theory.graph;
  const bool is_small = graph.edges.size() <= most_edges_shown;
  std::vector<Row> result;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::size_t> places;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const DataflowEdge& edge = graph.edges[i];
    std::string name = is_small ? describe(graph, edge)
                                : fmt::format("{} -> {}", kind_and_stage(graph, edge.from),
                                              kind_and_stage(graph, edge.to));
    std::vector<std::int64_t> delays;
    for (const theory::PipeliningStep& step : theory.steps) delays.push_back(step.delays[i]);
    const auto [place, is_new] = places.try_emplace({name, delays}, result.size());
    if (is_new) result.push_back({std::move(name), 0, std::move(delays)});
    ++result[place->second].edges;
  }
  return result;
}

}  // namespace

std::string TheoryReport::steps_table() const {
  std::vector<base::Table::Column> columns{{"Delays on edges", "after step", base::Align::left},
                                           {"Edges", ""}};
  std::string legend = "Steps:\n";
  for (std::size_t step = 0; step < theory_.steps.size(); ++step) {
    columns.push_back({"", std::to_string(step)});
    legend += fmt::format("  {} {}\n", step, theory_.steps[step].title);
  }
  base::Table table(std::move(columns));
  for (const Row& row : rows(theory_)) {
    std::vector<std::string> cells{row.name, std::to_string(row.edges)};
    for (const std::int64_t delays : row.delays) cells.push_back(std::to_string(delays));
    table.add_row(std::move(cells));
  }
  std::string text = legend + "\n" + table.text();
  if (!theory_.retiming_obstacle.empty()) {
    text += fmt::format(
        "No further step is legal: {}.\nOnly with M(l) = 2 S(l) or more does every edge across a "
        "boundary get a delay. Operations wait for each other by the schedule instead.\n",
        base::printable(theory_.retiming_obstacle));
  }
  return text;
}

std::string TheoryReport::layer_table() const {
  base::Table table({{"Layer", "", base::Align::left},
                     {"Stage", ""},
                     {"Staleness", "minibatches"},
                     {"Versions of W", "to keep"},
                     {"Versions of W", "kept"},
                     {"Versions of input", "to keep"},
                     {"Versions of input", "kept"}});
  for (const LayerDelays& layer : theory_.layers) {
    const metrics::LayerResult& kept = simulated_.layers.at(layer.layer);
    table.add_row({kept.name, std::to_string(layer.stage), std::to_string(layer.staleness),
                   std::to_string(layer.weight_versions), std::to_string(kept.weight_versions),
                   std::to_string(layer.activation_versions),
                   std::to_string(kept.activation_versions)});
  }
  return table.text();
}

std::vector<TheoryReport::KeptBytes> TheoryReport::kept_of_processors() const {
  std::vector<KeptBytes> processors(simulated_.processors.size());
  for (const LayerMemory& entry : theory_.memory) {
    processors[entry.processor].weights += entry.weight_bytes;
    processors[entry.processor].activations += entry.activation_bytes;
  }
  return processors;
}

std::string TheoryReport::memory_table() const {
  base::Table layers({{"To keep of", "", base::Align::left},
                      {"Processor", "", base::Align::left},
                      {"Versions", "of W"},
                      {"Weights", ""},
                      {"Versions", "of activations"},
                      {"Activations", ""}});
  for (const LayerMemory& entry : theory_.memory) {
    layers.add_row(
        {fmt::format("{}{}", simulated_.layers[entry.layer].name, entry.is_lent ? ", lent" : ""),
         simulated_.processors[entry.processor].name, std::to_string(entry.weight_versions),
         format_bytes(entry.weight_bytes), std::to_string(entry.activation_versions),
         format_bytes(entry.activation_bytes)});
  }
  base::Table processors({{"Memory", "", base::Align::left},
                          {"Weights", "to keep"},
                          {"Weights", "kept"},
                          {"Activations", "to keep"},
                          {"Activations", "kept"}});
  const std::vector<KeptBytes> most = kept_of_processors();
  for (std::size_t p = 0; p < most.size(); ++p) {
    const metrics::MemoryBytes& peak = simulated_.processors[p].peak_memory_bytes;
    processors.add_row({simulated_.processors[p].name, format_bytes(most[p].weights),
                        format_bytes(peak.weights), format_bytes(most[p].activations),
                        format_bytes(peak.activations)});
  }
  return layers.text() + '\n' + processors.text();
}

std::string TheoryReport::loop() const {
  if (!theory_.critical_loop) return "Critical loop: none takes time\n";
  std::string text =
      fmt::format("Critical loop: {} cycles, delays: {}, {} cycles per delay\n",
                  format_count(theory_.critical_loop->cycles), theory_.critical_loop->delays,
                  figures::format_cycles(critical_loop_cycles(theory_)));
  for (const std::string& node : theory_.path) text += fmt::format("  {}\n", base::printable(node));
  return text;
}

std::string TheoryReport::text() const {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", header(simulated_), steps_table(), layer_table(),
                     memory_table(), loop(), period_answers(theory_, simulated_));
}

std::int64_t TheoryReport::borrowers(std::size_t layer) const {
  return std::ranges::count_if(theory_.memory, [layer](const LayerMemory& entry) {
    return entry.layer == layer && entry.is_lent;
  });
}

nlohmann::ordered_json TheoryReport::kept_json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const LayerMemory& entry : theory_.memory) {
    const metrics::LayerResult& counted = simulated_.layers.at(entry.layer);
    nlohmann::ordered_json simulated = counted.weight_versions;
    if (entry.is_lent) simulated = counted.lent_weight_versions;
    if (entry.is_lent && borrowers(entry.layer) > 1) simulated = nullptr;
    list.push_back({{"layer", counted.name},
                    {"processor", simulated_.processors.at(entry.processor).name},
                    {"lent", entry.is_lent},
                    {"weight_versions", entry.weight_versions},
                    {"simulated_weight_versions", std::move(simulated)},
                    {"weight_bytes", entry.weight_bytes},
                    {"activation_versions", entry.activation_versions},
                    {"activation_bytes", entry.activation_bytes}});
  }
  return list;
}

nlohmann::ordered_json TheoryReport::processors_json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const std::vector<KeptBytes> most = kept_of_processors();
  for (std::size_t p = 0; p < most.size(); ++p) {
    const metrics::ProcessorResult& processor = simulated_.processors[p];
    list.push_back({{"name", processor.name},
                    {"weight_bytes", most[p].weights},
                    {"simulated_weight_bytes", processor.peak_memory_bytes.weights},
                    {"activation_bytes", most[p].activations},
                    {"simulated_activation_bytes", processor.peak_memory_bytes.activations}});
  }
  return list;
}

nlohmann::ordered_json TheoryReport::json() const {
  using Json = nlohmann::ordered_json;
  Json layers = Json::array();
  for (const LayerDelays& layer : theory_.layers) {
    const metrics::LayerResult& kept = simulated_.layers.at(layer.layer);
    layers.push_back({{"name", kept.name},
                      {"stage", layer.stage},
                      {"staleness", layer.staleness},
                      {"weight_versions", layer.weight_versions},
                      {"activation_versions", layer.activation_versions},
                      {"simulated_weight_versions", kept.weight_versions},
                      {"simulated_activation_versions", kept.activation_versions}});
  }
  Json loop = nullptr;
  if (theory_.critical_loop) {
    loop = {{"cycles", theory_.critical_loop->cycles},
            {"delays", theory_.critical_loop->delays},
            {"cycles_per_delay", critical_loop_cycles(theory_)},
            {"path", theory_.path}};
  }
  Json steps = Json::array();
  for (const theory::PipeliningStep& step : theory_.steps) steps.push_back(step.title);
  Json edges = Json::array();
  for (std::size_t i = 0; i < theory_.graph.edges.size(); ++i) {
    const DataflowEdge& edge = theory_.graph.edges[i];
    Json delays = Json::array();
    for (const theory::PipeliningStep& step : theory_.steps) delays.push_back(step.delays[i]);
    edges.push_back({{"from", describe(theory_.graph, edge.from)},
                     {"to", describe(theory_.graph, edge.to)},
                     {"delays", std::move(delays)}});
  }
  return {{"platform", simulated_.platform},
          {"workload", simulated_.workload},
          {"schedule", simulated_.schedule},
          {"options", simulated_.options},
          {"steps", std::move(steps)},
          {"edges", std::move(edges)},
          {"retiming_obstacle",
           theory_.retiming_obstacle.empty() ? Json(nullptr) : Json(theory_.retiming_obstacle)},
          {"layers", std::move(layers)},
          {"kept", kept_json()},
          {"processors", processors_json()},
          {"critical_loop", std::move(loop)},
          {"bounds",
           {{"slowest_processor_cycles", theory_.slowest_processor_cycles},
            {"critical_loop_cycles", critical_loop_cycles(theory_)}}},
          {"recurrence_period_cycles", theory_.recurrence.cycles_per_minibatch},
          {"simulated_period_cycles", simulated_.steady_state.period_cycles}};
}

std::string TheoryReport::csv() const {
  base::Csv csv({"layer", "stage", "staleness", "weight_versions", "activation_versions",
                 "simulated_weight_versions", "simulated_activation_versions", "weight_bytes",
                 "activation_bytes", "borrower", "lent_weight_versions",
                 "simulated_lent_weight_versions", "lent_weight_bytes"});
  for (const LayerDelays& layer : theory_.layers) {
    const metrics::LayerResult& kept = simulated_.layers.at(layer.layer);
    LayerMemory own;
    LayerMemory lent;
    std::string borrower;
    for (const LayerMemory& entry : theory_.memory) {
      if (entry.layer != layer.layer) continue;
      if (!entry.is_lent) {
        own = entry;
        continue;
      }
      borrower += (borrower.empty() ? "" : " ") + simulated_.processors.at(entry.processor).name;
      lent.weight_versions = std::max(lent.weight_versions, entry.weight_versions);
      lent.weight_bytes += entry.weight_bytes;
    }
    csv.add_row({kept.name, base::csv_number(layer.stage), base::csv_number(layer.staleness),
                 base::csv_number(layer.weight_versions),
                 base::csv_number(layer.activation_versions),
                 base::csv_number(kept.weight_versions), base::csv_number(kept.activation_versions),
                 base::csv_number(own.weight_bytes), base::csv_number(own.activation_bytes),
                 borrower, base::csv_number(lent.weight_versions),
                 base::csv_number(kept.lent_weight_versions), base::csv_number(lent.weight_bytes)});
  }
  return csv.text();
}

}  // namespace layerpipe::report
