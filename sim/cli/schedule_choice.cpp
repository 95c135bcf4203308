#include "sim/cli/schedule_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "scheduler/given_scheduler.hpp"
#include "scheduler/placement/read_allocation.hpp"
#include "scheduler/pytorch_scheduler.hpp"
#include "sim/run/least_delays.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/json_document.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::cli {

namespace {

constexpr std::array orders{placement::OrderOf::layerpipe, placement::OrderOf::pipedream};

}  // namespace

std::string ScheduleChoice::label() const {
  const std::string_view name = allocation      ? std::string_view(allocation->name)
                                : schedule_file ? std::string_view(schedule_file->name)
                                                : scheduler.name;
  if (!stages) return base::printable(name);
  return fmt::format("{}, stages {}", base::printable(name), fmt::join(*stages, ","));
}

bool takes_stages(const scheduler::Scheduler& scheduler) {
  return std::ranges::any_of(
      orders, [&](placement::OrderOf order) { return to_string(order) == scheduler.name; });
}

ScheduleChoice read_stages(const Stages& stages, const scheduler::Scheduler& scheduler,
                           const placement::SchedulerOptions& options, const Inputs& inputs) {
  const auto order = std::ranges::find(orders, scheduler.name,
                                       [](placement::OrderOf known) { return to_string(known); });
  if (order == orders.end()) {
    throw UsageError(
        fmt::format("--stages: {} places layers by itself (expected --schedule {} or {})",
                    scheduler.name, to_string(orders[0]), to_string(orders[1])));
  }
  placement::Allocation allocation = placement::allocation_of_stages(
      stages, inputs.profile.layers.size(), inputs.machine.processors.size());
  return {scheduler::scheduler_of({*order, std::move(allocation)}), options, std::nullopt, stages};
}

ScheduleChoice read_choice(const std::string& file, placement::SchedulerOptions options,
                           const Inputs& inputs) {
  const std::string text = base::read_file(file, base::JsonLimits::bytes);
  placement::GivenAllocation given =
      placement::parse_allocation(text, file, inputs.profile, inputs.machine);
  options.split = given.allocation.split;
  if (given.order == placement::OrderOf::layerpipe) {
    options.delays = given.allocation.delays;
    options.priority = options.priority.value_or(given.allocation.priority);
  }
  return {scheduler::scheduler_of(std::move(given)), options, process::input_file_of(file, text)};
}

ScheduleChoice read_schedule_file(const std::string& file, const std::optional<Stages>& stages,
                                  placement::SchedulerOptions options) {
  const std::string text = base::read_file(file, discipline::max_pytorch_bytes);
  discipline::PytorchSchedule given =
      discipline::parse_pytorch_schedule(text, base::shown_path(file));
  options.micro_batches = static_cast<std::int64_t>(given.micro_batches);
  return {.scheduler = scheduler::scheduler_of(std::move(given), stages),
          .options = std::move(options),
          .stages = stages,
          .schedule_file = process::input_file_of(file, text)};
}

namespace {

/// A single number is for all layers.
placement::Delays for_all_layers(const placement::Delays& delays, std::size_t layers) {
  const auto* given = std::get_if<placement::Staleness>(&delays);
  if (given == nullptr || given->size() != 1) return delays;
  return placement::Staleness(layers, given->front());
}

}  // namespace

ScheduleChoice with_delays(ScheduleChoice choice, const DelaysChoice& delays,
                           const Inputs& inputs) {
  if (const auto* given = std::get_if<placement::Delays>(&delays)) {
    choice.options.delays = for_all_layers(*given, inputs.profile.layers.size());
  } else {
    choice.auto_delays =
        run::least_delays(choice.scheduler, inputs.profile, inputs.machine, choice.options);
    choice.options.delays = choice.auto_delays->delays;
  }
  return choice;
}

ScheduleChoice in_micro_batches(ScheduleChoice choice, const Inputs& inputs) {
  if (!choice.scheduler.reads(scheduler::SchedulerOption::micro_batches)) return choice;
  std::optional<std::int64_t>& micro_batches = choice.options.micro_batches;
  if (!micro_batches) {
    micro_batches =
        scheduler::default_micro_batches(inputs.network.batch, inputs.machine.processors.size());
  }
  choice.micro_batch_profile =
      costs::profile(inputs.machine, inputs.network, {inputs.first_input_gradient, *micro_batches});
  return choice;
}

namespace {

ScheduleChoice chosen(const ScheduleOptions& options, const Inputs& inputs) {
  if (options.allocation) return read_choice(*options.allocation, options.values, inputs);
  if (options.schedule_file) {
    return read_schedule_file(*options.schedule_file, options.stages, options.values);
  }
  if (options.stages) {
    return read_stages(*options.stages, *options.scheduler, options.values, inputs);
  }
  return {*options.scheduler, options.values};
}

}  // namespace

ScheduleChoice choose(const ScheduleOptions& options, const Inputs& inputs) {
  ScheduleChoice choice = chosen(options, inputs);
  require_readers(options.given, std::array{&std::as_const(choice.scheduler)});
  if (options.delays) choice = with_delays(std::move(choice), *options.delays, inputs);
  return in_micro_batches(std::move(choice), inputs);
}

process::Provenance with_files(process::Provenance provenance, const Inputs& inputs,
                               const std::vector<ScheduleChoice>& choices) {
  std::vector<process::InputFile>& files = provenance.inputs;
  files = inputs.files;
  for (const ScheduleChoice& choice : choices) {
    for (const auto& file : {choice.allocation, choice.schedule_file}) {
      if (file && std::ranges::find(files, *file) == files.end()) files.push_back(*file);
    }
  }
  return provenance;
}

}  // namespace layerpipe::cli
