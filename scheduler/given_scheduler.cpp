#include "scheduler/given_scheduler.hpp"

#include <string>
#include <utility>

#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/discipline/pipedream_schedule.hpp"

namespace layerpipe::scheduler {

Scheduler scheduler_of(GivenAllocation given) {
  const std::string_view name = to_string(given.order);
  std::vector<SchedulerOption> options;
  if (given.order == OrderOf::layerpipe) {
    options = {SchedulerOption::delays, SchedulerOption::priority};
  }
  auto plan = [given = std::move(given)](const Profile& profile, const platforms::Machine& machine,
                                         const SchedulerOptions& in_force) -> Plan {
    const std::string order(to_string(given.order));
    const std::size_t processors = machine.processors.size();
    if (given.order == OrderOf::pipedream) {
      refuse_delays(order, in_force);
      return {
          pipedream_schedule(order, profile, scheduler::processors(given.allocation), processors),
          std::nullopt};
    }
    Allocation allocation = given.allocation;
    allocation.delays = in_force.delays.value_or(allocation.delays);
    allocation.priority = in_force.priority.value_or(allocation.priority);
    return {layerpipe_schedule(order, profile, allocation, processors), std::nullopt};
  };
  return {name, "layers placed as given", std::move(options), std::move(plan)};
}

}  // namespace layerpipe::scheduler
