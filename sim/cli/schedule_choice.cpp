#include "sim/cli/schedule_choice.hpp"

#include <array>
#include <utility>

#include "scheduler/read_allocation.hpp"
#include "sim/least_delays.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::sim::cli {

std::string ScheduleChoice::label() const {
  return workloads::printable(allocation ? *allocation : scheduler.name);
}

ScheduleChoice read_choice(const std::string& file, scheduler::SchedulerOptions options,
                           const Inputs& inputs) {
  scheduler::GivenAllocation given =
      scheduler::read_allocation(file, inputs.profile, inputs.machine);
  options.split = given.allocation.split;
  if (given.order == scheduler::OrderOf::layerpipe) {
    options.delays = given.allocation.delays;
    options.priority = options.priority.value_or(given.allocation.priority);
  }
  return {scheduler_of(std::move(given)), options, file};
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

}  // namespace layerpipe::sim::cli
