#include "sim/cli/options_in_force.hpp"

#include <fmt/format.h>

#include "scheduler/placement/allocation.hpp"

namespace layerpipe::cli {
namespace {

using Json = nlohmann::ordered_json;
using placement::SchedulerOptions;

Json limit(std::int64_t bytes) {
  return bytes == SchedulerOptions::unlimited ? Json(nullptr) : Json(bytes);
}

/// Null for a schedule with delays of its own.
Json delays(const OptionsInForce& options) {
  if (!options.scheduler->reads(scheduler::SchedulerOption::delays)) return nullptr;
  const placement::Delays in_force = options.scheduler_options->delays.value_or(
      placement::Delays(placement::DelayRule::twice_stages_after));
  if (const auto* given = std::get_if<placement::Staleness>(&in_force)) return *given;
  return to_string(std::get<placement::DelayRule>(in_force));
}

/// What was given instead of the platform's.
Json overrides(const engine::LoadOptions& given) {
  Json json = Json::object();
  if (given.array.size) {
    json["array"] = fmt::format("{}x{}", given.array.size->rows, given.array.size->cols);
  }
  if (given.array.dataflow) json["dataflow"] = to_string(*given.array.dataflow);
  if (given.clock_hertz) json["clock_hertz"] = *given.clock_hertz;
  if (given.link_bytes_per_second) json["link_bytes_per_second"] = *given.link_bytes_per_second;
  if (given.link_latency_seconds) json["link_latency_seconds"] = *given.link_latency_seconds;
  return json;
}

/// Null for a schedule with orders of its own.
Json priority(const OptionsInForce& options) {
  if (!options.scheduler->reads(scheduler::SchedulerOption::priority)) return nullptr;
  return to_string(options.scheduler_options->priority.value_or(placement::Allocation().priority));
}

/// Of schedules that have any.
void add_micro_batches(const OptionsInForce& options, Json& json) {
  using enum scheduler::SchedulerOption;
  const SchedulerOptions& in_force = *options.scheduler_options;
  if (options.scheduler->reads(micro_batches)) {
    json["micro_batches"] = in_force.micro_batches.value_or(1);
  }
  if (options.scheduler->reads(chunks)) json["chunks"] = in_force.chunks;
  if (options.scheduler->reads(placement)) json["placement"] = to_string(in_force.placement);
}

Json search(const run::LeastDelays& least) {
  const theory::LeastStaleness& found = least.staleness;
  Json simulated = nullptr;
  if (least.simulated) {
    simulated = {{"period_cycles", least.simulated->period_cycles},
                 {"period_cycles_with_2S", least.simulated->twice_stages_after_period_cycles},
                 {"raised", least.simulated->raised}};
  }
  return {{"ratio_delays", found.of_ratio},
          {"slowest_processor_cycles", found.slowest_processor_cycles},
          {"period_cycles", found.period_cycles},
          {"period_cycles_with_2S", found.twice_stages_after_period_cycles},
          {"simulated", simulated},
          {"reaches_bound", least.reaches_bound()},
          {"has_shared_links", least.has_shared_links},
          {"exact", least.is_exact}};
}

}  // namespace

Json to_json(const OptionsInForce& options, const Inputs& inputs) {
  const array::SystolicArray& array = inputs.machine.array;
  Json json = Json::object();
  if (options.scheduler != nullptr) json["schedule"] = options.scheduler->name;
  if (options.allocation) json["allocation"] = options.allocation->name;
  if (options.schedule_file) json["schedule_file"] = options.schedule_file->name;
  if (options.stages) json["stages"] = *options.stages;
  if (options.iterations) json["iterations"] = *options.iterations;
  if (options.until_steady) json["until"] = *options.until_steady ? "steady" : "iterations";
  if (options.tolerance) json["tolerance"] = *options.tolerance;
  json["processors"] = inputs.machine.processors.size();
  json["batch"] = inputs.network.batch;
  json["array"] = array.has_size() ? Json(size_text(array)) : Json(nullptr);
  json["clock_hertz"] = inputs.machine.clock_hertz;
  if (options.scheduler_options) {
    json["alpha"] = options.scheduler_options->alpha;
    json["objective"] = to_string(options.scheduler_options->objective);
  }
  const std::optional<costs::Split> split =
      options.scheduler_options ? options.scheduler_options->split : options.split;
  if (split) json["split"] = to_string(*split);
  if (options.scheduler != nullptr) json["delays"] = delays(options);
  if (options.auto_delays) json["auto_delays"] = search(*options.auto_delays);
  if (options.scheduler != nullptr) json["priority"] = priority(options);
  if (options.scheduler != nullptr) add_micro_batches(options, json);
  json["first_input_gradient"] = inputs.first_input_gradient;
  if (options.scheduler_options) {
    json["max_lent_weight_bytes"] = limit(options.scheduler_options->max_lent_weight_bytes);
    json["max_lent_bytes"] = limit(options.scheduler_options->max_lent_bytes);
  }
  json["dataflow"] = to_string(array.dataflow);
  json["weight_gradient_dataflow"] = to_string(array.weight_gradient_dataflow);
  json["input_gradient"] = array::to_string(array.input_gradient);
  const Json replaced = overrides(inputs.overrides);
  if (!replaced.empty()) json["instead_of_platform"] = replaced;
  return json;
}

}  // namespace layerpipe::cli
