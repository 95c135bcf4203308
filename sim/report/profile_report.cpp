#include "sim/report/profile_report.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/report/csv.hpp"
#include "sim/report/table.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::sim {
namespace {

using OptionalBytes = std::optional<std::int64_t>;
using workloads::format_bytes;
using workloads::format_count;

std::string text_of(const OptionalBytes& bytes) { return bytes ? format_bytes(*bytes) : "-"; }

std::string csv_of(const OptionalBytes& bytes) {
  return bytes ? csv_number(*bytes) : std::string();
}

nlohmann::ordered_json json_of(const OptionalBytes& bytes) {
  return bytes ? nlohmann::ordered_json(*bytes) : nlohmann::ordered_json(nullptr);
}

}  // namespace

ProfileReport::ProfileReport(const platforms::Machine& machine, const workloads::Network& network,
                             const scheduler::Profile& profile, nlohmann::ordered_json options)
    : platform_(machine.name),
      workload_(network.name),
      batch_(network.batch),
      options_(std::move(options)) {
  const std::vector<scheduler::Boundary> boundary = boundaries(profile);
  std::size_t with_gemm = 0;
  for (const workloads::Layer& layer : network.layers) {
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

void ProfileReport::add_costs(Row& row, const scheduler::Profile& profile, std::size_t layer,
                              const scheduler::Boundary& boundary) {
  const scheduler::LayerProfile& costs = profile.layers[layer];
  row.forward_cycles = costs.forward_cycles;
  row.input_gradient_cycles = costs.input_gradient_cycles;
  row.weight_gradient_cycles = costs.weight_gradient_cycles;
  if (layer == 0) return;
  row.boundary_forward_bytes = boundary.activation_bytes;
  row.boundary_backward_bytes = boundary.gradient_bytes;
  if (costs.lender) row.lent_weight_bytes = costs.weight_bytes;
}

std::string ProfileReport::text() const {
  Table table({{"Layer", "", Align::left},
               {"Type", "", Align::left},
               {"Forward", "cycles"},
               {"Input gradient", "cycles"},
               {"Weight gradient", "cycles"},
               {"Activation", ""},
               {"Gradient", ""},
               {"Weights", ""},
               {"Boundary before", "forward"},
               {"Boundary before", "backward"},
               {"To lend", "weights"}});
  Row sum;
  for (const Row& row : rows_) {
    table.add_row({row.name, row.type, format_count(row.forward_cycles),
                   format_count(row.input_gradient_cycles),
                   format_count(row.weight_gradient_cycles), format_bytes(row.activation_bytes),
                   format_bytes(row.gradient_bytes), format_bytes(row.weight_bytes),
                   text_of(row.boundary_forward_bytes), text_of(row.boundary_backward_bytes),
                   text_of(row.lent_weight_bytes)});
    sum.forward_cycles += row.forward_cycles;
    sum.input_gradient_cycles += row.input_gradient_cycles;
    sum.weight_gradient_cycles += row.weight_gradient_cycles;
    sum.weight_bytes += row.weight_bytes;
  }
  return fmt::format(
      "{}, batch {}, on a processor of {} ({}); all for one minibatch\n\n{}\n"
      "Total {} cycles: {} forward, {} input gradient, {} weight gradient; {} of weights\n",
      printable(workload_), format_count(batch_), options_.value("array", ""), printable(platform_),
      table.text(),
      format_count(sum.forward_cycles + sum.input_gradient_cycles + sum.weight_gradient_cycles),
      format_count(sum.forward_cycles), format_count(sum.input_gradient_cycles),
      format_count(sum.weight_gradient_cycles), format_bytes(sum.weight_bytes));
}

nlohmann::ordered_json ProfileReport::json() const {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const Row& row : rows_) {
    layers.push_back({{"name", row.name},
                      {"type", row.type},
                      {"forward_cycles", row.forward_cycles},
                      {"input_gradient_cycles", row.input_gradient_cycles},
                      {"weight_gradient_cycles", row.weight_gradient_cycles},
                      {"activation_bytes", row.activation_bytes},
                      {"gradient_bytes", row.gradient_bytes},
                      {"weight_bytes", row.weight_bytes},
                      {"boundary_forward_bytes", json_of(row.boundary_forward_bytes)},
                      {"boundary_backward_bytes", json_of(row.boundary_backward_bytes)},
                      {"lent_weight_bytes", json_of(row.lent_weight_bytes)}});
  }
  return {{"platform", platform_},
          {"workload", workload_},
          {"options", options_},
          {"batch", batch_},
          {"layers", std::move(layers)}};
}

std::string ProfileReport::csv() const {
  Csv csv({"name", "type", "forward_cycles", "input_gradient_cycles", "weight_gradient_cycles",
           "activation_bytes", "gradient_bytes", "weight_bytes", "boundary_forward_bytes",
           "boundary_backward_bytes", "lent_weight_bytes"});
  for (const Row& row : rows_) {
    csv.add_row({row.name, row.type, csv_number(row.forward_cycles),
                 csv_number(row.input_gradient_cycles), csv_number(row.weight_gradient_cycles),
                 csv_number(row.activation_bytes), csv_number(row.gradient_bytes),
                 csv_number(row.weight_bytes), csv_of(row.boundary_forward_bytes),
                 csv_of(row.boundary_backward_bytes), csv_of(row.lent_weight_bytes)});
  }
  return csv.text();
}

}  // namespace layerpipe::sim
