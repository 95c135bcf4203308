#include "sim/cli/schedule_choice.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "scheduler/json_document.hpp"
#include "scheduler/read_allocation.hpp"
#include "sim/least_delays.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::sim::cli {

std::string ScheduleChoice::label() const {
  return workloads::printable(allocation ? allocation->name : scheduler.name);
}

ScheduleChoice read_choice(const std::string& file, scheduler::SchedulerOptions options,
                           const Inputs& inputs) {
  const std::string text = workloads::read_file(file, scheduler::JsonLimits::bytes);
  scheduler::GivenAllocation given =
      scheduler::parse_allocation(text, file, inputs.profile, inputs.machine);
  options.split = given.allocation.split;
  if (given.order == scheduler::OrderOf::layerpipe) options.delays = given.allocation.delays;
  return {scheduler_of(std::move(given)), options, input_file_of(file, text)};
}

ScheduleChoice with_delays(ScheduleChoice choice, const DelaysChoice& delays,
                           const Inputs& inputs) {
  if (const auto* given = std::get_if<scheduler::Delays>(&delays)) {
    choice.options.delays = *given;
  } else {
    choice.auto_delays =
        least_delays(choice.scheduler, inputs.profile, inputs.machine, choice.options);
    choice.options.delays = choice.auto_delays->delays;
  }
  return choice;
}

ScheduleChoice choose(const ScheduleOptions& options, const Inputs& inputs) {
  ScheduleChoice choice = options.allocation
                              ? read_choice(*options.allocation, options.values, inputs)
                              : ScheduleChoice{*options.scheduler, options.values, std::nullopt};
  require_readers(options.given, std::array{&std::as_const(choice.scheduler)});
  return options.delays ? with_delays(std::move(choice), *options.delays, inputs) : choice;
}

Provenance with_files(Provenance provenance, const Inputs& inputs,
                      const std::vector<ScheduleChoice>& choices) {
  std::vector<InputFile>& files = provenance.inputs;
  files = inputs.files;
  for (const ScheduleChoice& choice : choices) {
    const bool is_new =
        choice.allocation && std::ranges::find(files, *choice.allocation) == files.end();
    if (is_new) files.push_back(*choice.allocation);
  }
  return provenance;
}

}  // namespace layerpipe::sim::cli
