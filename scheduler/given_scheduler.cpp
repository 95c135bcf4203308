#include "scheduler/given_scheduler.hpp"

#include <string>
#include <utility>

#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/discipline/pipedream_schedule.hpp"

namespace layerpipe::scheduler {

Scheduler scheduler_of(placement::GivenAllocation given) {
  const std::string_view name = to_string(given.order);
  std::vector<SchedulerOption> options;
  if (given.order == placement::OrderOf::layerpipe) {
    options = {SchedulerOption::delays, SchedulerOption::priority};
  }
  auto plan = [given = std::move(given)](const costs::Profile& profile,
                                         const machine::Machine& machine,
                                         const placement::SchedulerOptions& in_force) -> Plan {
    const std::string order(to_string(given.order));
    const std::size_t processors = machine.processors.size();
    if (given.order == placement::OrderOf::pipedream) {
      refuse_delays(order, in_force);
      return {discipline::pipedream_schedule(order, profile,
                                             placement::processors(given.allocation), processors),
              std::nullopt};
    }
    placement::Allocation allocation = given.allocation;
    allocation.delays = in_force.delays.value_or(allocation.delays);
    allocation.priority = in_force.priority.value_or(allocation.priority);
    return {discipline::layerpipe_schedule(order, profile, allocation, processors), std::nullopt};
  };
  return {name, "layers placed as given", std::move(options), std::move(plan)};
}

}  // namespace layerpipe::scheduler
