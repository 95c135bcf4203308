#include "sim/report/profile_report.hpp"

#include <fmt/format.h>

#include <utility>

#include "scheduler/costs/split.hpp"
#include "scheduler/placement/lending.hpp"
#include "sim/figures/machine_text.hpp"
#include "sim/report/division.hpp"
#include "workloads/base/csv.hpp"
#include "workloads/base/table.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::report {
namespace {

using Json = nlohmann::ordered_json;
using OptionalBytes = std::optional<std::int64_t>;
using base::format_bytes;
using base::format_count;
using contract::Division;

std::string text_of(const OptionalBytes& bytes) { return bytes ? format_bytes(*bytes) : "-"; }

std::string csv_of(const OptionalBytes& bytes) {
  return bytes ? base::csv_number(*bytes) : std::string();
}

Json json_of(const OptionalBytes& bytes) { return bytes ? Json(*bytes) : Json(nullptr); }

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

std::vector<base::Table::Column> half_lent_columns(costs::Split split) {
  return {{"Input gradient", std::string(unit_name(split))},
          {"Half lent", "cycles"},
          {"Half lent", "extra %"},
          {"Half lent", "weights"}};
}

std::vector<std::string> half_lent_cells(const std::optional<Division>& half) {
  if (!half) return {"-", "-", "-", "-"};
  return {format_count(half->units), format_count(half->kept_cycles + half->lent_cycles),
          extra_percent(*half), format_bytes(half->weight_bytes)};
}

std::vector<std::string> half_lent_csv(const std::optional<Division>& half) {
  if (!half) return std::vector<std::string>(6);
  return {base::csv_number(half->units),        base::csv_number(half->lent_units),
          base::csv_number(half->kept_cycles),  base::csv_number(half->lent_cycles),
          base::csv_number(half->weight_bytes), base::csv_number(half->gradient_bytes)};
}

}  // namespace

ProfileReport::ProfileReport(const machine::Machine& machine, const network::Network& network,
                             const costs::Profile& profile, costs::Split split,
                             nlohmann::ordered_json options)
    : platform_(machine.name),
      workload_(network.name),
      batch_(network.batch),
      split_(split),
      options_(std::move(options)) {
  const std::vector<costs::Boundary> boundary = boundaries(profile);
  std::size_t with_gemm = 0;
  for (const network::Layer& layer : network.layers) {
    Row& row = rows_.emplace_back();
    row.name = layer.name;
    row.type = to_string(layer.type);
    row.activation_bytes = activation_bytes(network, layer);
    row.gradient_bytes = gradient_bytes(network, layer);
    row.weight_bytes = parameter_bytes(network, layer);
    if (!has_gemm(layer)) continue;
    add_costs(row, profile, with_gemm, boundary[with_gemm]);
    ++with_gemm;
  }
}

void ProfileReport::add_costs(Row& row, const costs::Profile& profile, std::size_t layer,
                              const costs::Boundary& boundary) const {
  const costs::LayerProfile& costs = profile.layers[layer];
  row.forward_cycles = costs.forward_cycles;
  row.input_gradient_cycles = costs.input_gradient_cycles;
  row.weight_gradient_cycles = costs.weight_gradient_cycles;
  if (layer == 0) return;
  row.boundary_forward_bytes = boundary.activation_bytes;
  row.boundary_backward_bytes = boundary.gradient_bytes;
  if (placement::lending_obstacle(profile, layer)) return;
  row.lent_weight_bytes = costs.weight_bytes;
  if (split_units(costs, split_) == 0) return;
  row.half_lent = contract::half_lent(profile, layer, split_);
  row.split_obstacle = split_obstacle(costs, split_);
}

std::string ProfileReport::layer_table() const {
  std::vector<base::Table::Column> columns{{"Layer", "", base::Align::left},
                                           {"Type", "", base::Align::left},
                                           {"Forward", "cycles"},
                                           {"Input gradient", "cycles"},
                                           {"Weight gradient", "cycles"},
                                           {"Activation", ""},
                                           {"Gradient", ""},
                                           {"Weights", ""},
                                           {"Boundary before", "forward"},
                                           {"Boundary before", "backward"},
                                           {"To lend", "weights"}};
  const bool shows_split = split_ != costs::Split::ideal;
  if (shows_split) append(columns, half_lent_columns(split_));
  base::Table table(columns);
  for (const Row& row : rows_) {
    std::vector<std::string> cells{row.name,
                                   row.type,
                                   format_count(row.forward_cycles),
                                   format_count(row.input_gradient_cycles),
                                   format_count(row.weight_gradient_cycles),
                                   format_bytes(row.activation_bytes),
                                   format_bytes(row.gradient_bytes),
                                   format_bytes(row.weight_bytes),
                                   text_of(row.boundary_forward_bytes),
                                   text_of(row.boundary_backward_bytes),
                                   text_of(row.lent_weight_bytes)};
    if (shows_split) append(cells, half_lent_cells(row.half_lent));
    table.add_row(cells);
  }
  return table.text();
}

std::string ProfileReport::total() const {
  Row sum;
  for (const Row& row : rows_) {
    sum.forward_cycles += row.forward_cycles;
    sum.input_gradient_cycles += row.input_gradient_cycles;
    sum.weight_gradient_cycles += row.weight_gradient_cycles;
    sum.weight_bytes += row.weight_bytes;
  }
  return fmt::format(
      "Total {} cycles: {} forward, {} input gradient, {} weight gradient; {} of weights\n",
      format_count(sum.forward_cycles + sum.input_gradient_cycles + sum.weight_gradient_cycles),
      format_count(sum.forward_cycles), format_count(sum.input_gradient_cycles),
      format_count(sum.weight_gradient_cycles), format_bytes(sum.weight_bytes));
}

std::string ProfileReport::text() const {
  std::string text = fmt::format(
      "{}, batch {}, on a processor of {} ({}); all for one minibatch\n{}\n{}\n{}",
      base::printable(workload_), format_count(batch_), figures::array_text(options_),
      base::printable(platform_), figures::overrides_line(options_), layer_table(), total());
  for (const Row& row : rows_) {
    if (row.split_obstacle) text += obstacle_line(row.name, *row.split_obstacle);
  }
  return text;
}

nlohmann::ordered_json ProfileReport::json() const {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const Row& row : rows_) {
    layers.push_back(
        {{"name", row.name},
         {"type", row.type},
         {"forward_cycles", row.forward_cycles},
         {"input_gradient_cycles", row.input_gradient_cycles},
         {"weight_gradient_cycles", row.weight_gradient_cycles},
         {"activation_bytes", row.activation_bytes},
         {"gradient_bytes", row.gradient_bytes},
         {"weight_bytes", row.weight_bytes},
         {"boundary_forward_bytes", json_of(row.boundary_forward_bytes)},
         {"boundary_backward_bytes", json_of(row.boundary_backward_bytes)},
         {"lent_weight_bytes", json_of(row.lent_weight_bytes)},
         {"half_lent", row.half_lent ? division_json(*row.half_lent) : Json(nullptr)},
         {"split_obstacle", row.split_obstacle ? Json(*row.split_obstacle) : Json(nullptr)}});
  }
  return {{"platform", platform_},
          {"workload", workload_},
          {"options", options_},
          {"batch", batch_},
          {"layers", std::move(layers)}};
}

std::string ProfileReport::csv() const {
  base::Csv csv({"name", "type", "forward_cycles", "input_gradient_cycles",
                 "weight_gradient_cycles", "activation_bytes", "gradient_bytes", "weight_bytes",
                 "boundary_forward_bytes", "boundary_backward_bytes", "lent_weight_bytes",
                 "half_units", "half_lent_units", "half_kept_cycles", "half_lent_cycles",
                 "half_lent_weight_bytes", "half_lent_gradient_bytes", "split_obstacle"});
  for (const Row& row : rows_) {
    std::vector<std::string> cells{row.name,
                                   row.type,
                                   base::csv_number(row.forward_cycles),
                                   base::csv_number(row.input_gradient_cycles),
                                   base::csv_number(row.weight_gradient_cycles),
                                   base::csv_number(row.activation_bytes),
                                   base::csv_number(row.gradient_bytes),
                                   base::csv_number(row.weight_bytes),
                                   csv_of(row.boundary_forward_bytes),
                                   csv_of(row.boundary_backward_bytes),
                                   csv_of(row.lent_weight_bytes)};
    append(cells, half_lent_csv(row.half_lent));
    cells.push_back(row.split_obstacle.value_or(""));
    csv.add_row(cells);
  }
  return csv.text();
}

}  // namespace layerpipe::report
