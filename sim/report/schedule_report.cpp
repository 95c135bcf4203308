#include "sim/report/schedule_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/report/csv.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/table.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::sim {
namespace {

using scheduler::OpPart;
using workloads::format_count;

bool comes_before(const OpPart& a, const OpPart& b) {
  return std::tie(a.layer, a.kind) < std::tie(b.layer, b.kind);
}

}  // namespace

ScheduleReport::ScheduleReport(const platforms::Machine& machine, std::string workload,
                               const scheduler::Plan& plan, nlohmann::ordered_json options)
    : platform_(machine.name),
      workload_(std::move(workload)),
      schedule_(plan.schedule.name),
      options_(std::move(options)),
      target_cycles_(plan.target_cycles),
      slowest_processor_cycles_(slowest_processor_cycles(plan.schedule)),
      layer_names_(plan.schedule.layer_names) {
  for (const std::string& name : machine.processors) processors_.push_back({name, {}, 0});
  for (const scheduler::Op& op : plan.schedule.ops) {
    Processor& processor = processors_[op.processor];
    processor.operations.insert(processor.operations.end(), op.parts.begin(), op.parts.end());
    processor.total_cycles += cycles(op);
  }
  for (Processor& processor : processors_) {
    std::stable_sort(processor.operations.begin(), processor.operations.end(), comes_before);
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

std::string ScheduleReport::summary() const {
  const auto slowest =
      std::find_if(processors_.begin(), processors_.end(),
                   [&](const Processor& p) { return p.total_cycles == slowest_processor_cycles_; });
  std::string text = fmt::format("Slowest processor: {}, {} cycles per minibatch\n",
                                 printable(slowest->name), format_count(slowest_processor_cycles_));
  if (target_cycles_) {
    text += fmt::format("Target T_p: {} cycles per minibatch\n", format_cycles(*target_cycles_));
  }
  return text;
}

std::string ScheduleReport::text() const {
  return fmt::format("Schedule {} of {}, batch {}, on {}: {} processors of {}\n\n{}\n{}", schedule_,
                     printable(workload_), format_count(options_.value("batch", std::int64_t{0})),
                     printable(platform_), processors_.size(), options_.value("array", ""),
                     processor_table(), summary());
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
  return {{"platform", platform_},
          {"workload", workload_},
          {"schedule", schedule_},
          {"options", options_},
          {"target_cycles", target_cycles_ ? Json(*target_cycles_) : Json(nullptr)},
          {"slowest_processor_cycles", slowest_processor_cycles_},
          {"processors", std::move(processors)}};
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
