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

namespace layerpipe::report {
namespace {

using base::format_bytes;
using base::format_count;
using contract::OpPart;

bool comes_before(const OpPart& a, const OpPart& b) {
  return std::tie(a.layer, a.kind) < std::tie(b.layer, b.kind);
}

}  // namespace

ScheduleReport::ScheduleReport(const machine::Machine& machine, std::string workload,
                               const costs::Profile& profile, const scheduler::Plan& plan,
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
      communication_(metrics::communication(plan.schedule)) {
  for (const std::string& name : machine.processors) processors_.push_back({name, {}, 0});
  for (const contract::Op& op : plan.schedule.ops) {
    Processor& processor = processors_[op.processor];
    if (op.parts.front().micro_batch == 0) {
      processor.operations.insert(processor.operations.end(), op.parts.begin(), op.parts.end());
    }
    processor.total_cycles += cycles(op);
  }
  for (Processor& processor : processors_) {
    std::stable_sort(processor.operations.begin(), processor.operations.end(), comes_before);
  }
  for (std::size_t l = 1; l + 1 < profile.layers.size(); ++l) {
    if (placement::lending_obstacle(profile, l)) continue;
    const auto reason = split_obstacle(profile.layers[l], split_);
    if (reason) obstacles_.push_back({layer_names_[l], *reason});
  }
}

std::string ScheduleReport::processor_table() const {
  base::Table table({{"Processor", "", base::Align::left},
                     {"Layer", "", base::Align::left},
                     {"Operation", "", base::Align::left},
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
  const bool shows_units = split_ != costs::Split::ideal;
  const std::string unit(unit_name(split_));
  std::vector<base::Table::Column> columns{{"Lent input gradient", "", base::Align::left},
                                           {"Whole", "cycles"},
                                           {"Kept", "cycles"},
                                           {"Lent", "cycles"},
                                           {"Extra", "%"},
                                           {"Sent", "weights"},
                                           {"Lent", "gradient"}};
  if (shows_units) columns.insert(columns.begin() + 1, {{"Whole", unit}, {"Lent", unit}});
  base::Table table(columns);
  for (const contract::LentPart& part : lent_parts_) {
    const contract::Division& division = part.division;
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
  std::string text = figures::sent_line(communication_);
  text += fmt::format("Slowest processor: {}, {} cycles per minibatch\n",
                      base::printable(slowest->name), format_count(slowest_processor_cycles_));
  if (target_cycles_) {
    text += fmt::format("Target T_p: {} cycles per minibatch\n",
                        figures::format_cycles(*target_cycles_));
  }
  for (const Obstacle& obstacle : obstacles_) {
    text += obstacle_line(obstacle.layer, obstacle.reason);
  }
  return text + delays_note(schedule_, options_);
}

std::string ScheduleReport::text() const {
  return fmt::format("Schedule {} of {}, batch {}, on {}: {} of {}\n{}\n{}\n{}{}",
                     figures::schedule_title(schedule_, options_), base::printable(workload_),
                     format_count(options_.value("batch", std::int64_t{0})),
                     base::printable(platform_),
                     format_count(std::ssize(processors_), "processor", "processors"),
                     figures::array_text(options_), figures::options_line(options_),
                     processor_table(), lent_table(), summary());
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
  for (const contract::LentPart& part : lent_parts_) {
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
  base::Csv csv({"processor", "operation", "layer", "fraction", "cycles"});
  for (const Processor& processor : processors_) {
    for (const OpPart& part : processor.operations) {
      csv.add_row({processor.name, std::string(to_string(part.kind)), layer_names_[part.layer],
                   base::csv_number(part.fraction), base::csv_number(part.cycles)});
    }
  }
  return csv.text();
}

}  // namespace layerpipe::report
