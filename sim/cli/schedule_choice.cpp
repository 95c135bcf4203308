#include "sim/cli/schedule_choice.hpp"

#include <utility>

#include "scheduler/read_allocation.hpp"
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
  return {scheduler_of(std::move(given)), options, file};
}

ScheduleChoice choose(const scheduler::Scheduler& scheduler,
                      const scheduler::SchedulerOptions& options,
                      const std::optional<std::string>& allocation, const Inputs& inputs) {
  if (allocation) return read_choice(*allocation, options, inputs);
  return {scheduler, options, std::nullopt};
}

}  // namespace layerpipe::sim::cli
