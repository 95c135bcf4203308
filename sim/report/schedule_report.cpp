#include "sim/report/schedule_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "scheduler/costs/split.hpp"
#include "scheduler/placement/lending.hpp"
#include "sim/figures/figures.hpp"
#include "sim/figures/machine_text.hpp"
#include "sim/metrics/communication.hpp"
#include "sim/metrics/result_json.hpp"
#include "sim/report/delays_note.hpp"
#include "sim/report/division.hpp"
#include "workloads/base/csv.hpp"
#include "workloads/base/table.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::sim {
namespace {

using scheduler::OpPart;
using workloads::format_bytes;
using workloads::format_count;

bool comes_before(const OpPart& a, const OpPart& b) {
  return std::tie(a.layer, a.kind) < std::tie(b.layer, b.kind);
}

}  // namespace

ScheduleReport::ScheduleReport(const platforms::Machine& machine, std::string workload,
                               const scheduler::Profile& profile, const scheduler::Plan& plan,
                               nlohmann::ordered_json options)
    : platform_(machine.name),
      workload_(std::move(workload)),
      schedule_(plan.schedule.name),
      options_(std::move(options)),
      target_cycles_(plan.target_cycles),
      slowest_processor_cycles_(slowest_processor_cycles(plan.schedule)),
      layer_names_(plan.schedule.layer_names),
      split_(plan.schedule.split),
      lent_parts_(lent_parts(plan.schedule, profile)),
      communication_(communication(plan.schedule)) {
  for (const std::string& name : machine.processors) processors_.push_back({name, {}, 0});
  for (const scheduler::Op& op : plan.schedule.ops) {
    Processor& processor = processors_[op.processor];
    processor.operations.insert(processor.operations.end(), op.parts.begin(), op.parts.end());
    processor.total_cycles += cycles(op);
  }
  for (Processor& processor : processors_) {
    std::stable_sort(processor.operations.begin(), processor.operations.end(), comes_before);
  }
  for (std::size_t l = 1; l + 1 < profile.layers.size(); ++l) {
    if (lending_obstacle(profile, l)) continue;
    const auto reason = split_obstacle(profile.layers[l], split_);
    if (reason) obstacles_.push_back({layer_names_[l], *reason});
  }
}

std::string ScheduleReport::processor_table() const {
  Table table({{"Processor", "", Align::left},
               {"Layer", "", Align::left},
               {"Operation", "", Align::left},
               {"Fraction", ""},
               {"Operation", "cycles"},
               {"Processor", "cycles"}});
  for (const Processor& processor : processors_) {
    std::string name = processor.name;
    std::string total = format_count(processor.total_cycles);
    if (processor.operations.empty()) table.add_row({name, "-", "idle", "", "", total});
    for (const OpPart& part : processor.operations) {
      table.add_row({std::exchange(name, ""), layer_names_[part.layer],
                     std::string(to_string(part.kind)), fmt::format("{:.3f}", part.fraction),
                     format_count(part.cycles), std::exchange(total, "")});
    }
  }
  return table.text();
}

std::string ScheduleReport::lent_table() const {
  if (lent_parts_.empty()) return {};
  const bool shows_units = split_ != scheduler::Split::ideal;
  const std::string unit(unit_name(split_));
  std::vector<Table::Column> columns{{"Lent input gradient", "", Align::left},
                                     {"Whole", "cycles"},
                                     {"Kept", "cycles"},
                                     {"Lent", "cycles"},
                                     {"Extra", "%"},
                                     {"Sent", "weights"},
                                     {"Lent", "gradient"}};
  if (shows_units) columns.insert(columns.begin() + 1, {{"Whole", unit}, {"Lent", unit}});
  Table table(columns);
  for (const scheduler::LentPart& part : lent_parts_) {
    const scheduler::Division& division = part.division;
    std::vector<std::string> cells{layer_names_[part.layer],
                                   format_count(division.whole_cycles),
                                   format_count(division.kept_cycles),
                                   format_count(division.lent_cycles),
                                   extra_percent(division),
                                   format_bytes(division.weight_bytes),
                                   format_bytes(division.gradient_bytes)};
    if (shows_units) {
      cells.insert(cells.begin() + 1,
                   {format_count(division.units), format_count(division.lent_units)});
    }
    table.add_row(cells);
  }
  return table.text() + "\n";
}

std::string ScheduleReport::summary() const {
  const auto slowest =
      std::find_if(processors_.begin(), processors_.end(),
                   [&](const Processor& p) { return p.total_cycles == slowest_processor_cycles_; });
  std::string text = sent_line(communication_);
  text += fmt::format("Slowest processor: {}, {} cycles per minibatch\n",
                      workloads::printable(slowest->name), format_count(slowest_processor_cycles_));
  if (target_cycles_) {
    text += fmt::format("Target T_p: {} cycles per minibatch\n", format_cycles(*target_cycles_));
  }
  for (const Obstacle& obstacle : obstacles_) {
    text += obstacle_line(obstacle.layer, obstacle.reason);
  }
  return text + delays_note(schedule_, options_);
}

std::string ScheduleReport::text() const {
  return fmt::format(
      "Schedule {} of {}, batch {}, on {}: {} of {}\n{}\n{}\n{}{}",
      schedule_title(schedule_, options_), workloads::printable(workload_),
      format_count(options_.value("batch", std::int64_t{0})), workloads::printable(platform_),
      format_count(std::ssize(processors_), "processor", "processors"), array_text(options_),
      options_line(options_), processor_table(), lent_table(), summary());
}

nlohmann::ordered_json ScheduleReport::json() const {
  using Json = nlohmann::ordered_json;
  Json processors = Json::array();
  for (const Processor& processor : processors_) {
    Json operations = Json::array();
    for (const OpPart& part : processor.operations) {
      operations.push_back({{"operation", to_string(part.kind)},
                            {"layer", layer_names_[part.layer]},
                            {"fraction", part.fraction},
                            {"cycles", part.cycles}});
    }
    processors.push_back({{"name", processor.name},
                          {"operations", std::move(operations)},
                          {"total_cycles", processor.total_cycles}});
  }
  Json lent = Json::array();
  for (const scheduler::LentPart& part : lent_parts_) {
    Json entry{{"layer", layer_names_[part.layer]}};
    entry.update(division_json(part.division));
    lent.push_back(std::move(entry));
  }
  Json obstacles = Json::array();
  for (const Obstacle& obstacle : obstacles_) {
    obstacles.push_back({{"layer", obstacle.layer}, {"reason", obstacle.reason}});
  }
  return {{"platform", platform_},
          {"workload", workload_},
          {"schedule", schedule_},
          {"options", options_},
          {"target_cycles", target_cycles_ ? Json(*target_cycles_) : Json(nullptr)},
          {"slowest_processor_cycles", slowest_processor_cycles_},
          {"processors", std::move(processors)},
          {"communication_per_minibatch", to_json(communication_)},
          {"lent_input_gradients", std::move(lent)},
          {"split_obstacles", std::move(obstacles)}};
}

std::string ScheduleReport::csv() const {
  Csv csv({"processor", "operation", "layer", "fraction", "cycles"});
  for (const Processor& processor : processors_) {
    for (const OpPart& part : processor.operations) {
      csv.add_row({processor.name, std::string(to_string(part.kind)), layer_names_[part.layer],
                   csv_number(part.fraction), csv_number(part.cycles)});
    }
  }
  return csv.text();
}

}  // namespace layerpipe::sim
