#include "scheduler/given_allocation.hpp"

#include <string>
#include <utility>

#include "scheduler/layerpipe_schedule.hpp"
#include "scheduler/pipedream_schedule.hpp"

namespace layerpipe::scheduler {

std::string_view to_string(OrderOf order) {
  return order == OrderOf::pipedream ? "pipedream" : "layerpipe";
}

Scheduler scheduler_of(GivenAllocation given) {
  const std::string_view name = to_string(given.order);
  auto plan = [given = std::move(given)](const Profile& profile, const platforms::Machine& machine,
                                         const SchedulerOptions&) -> Plan {
    const std::string order(to_string(given.order));
    const std::size_t processors = machine.processors.size();
    if (given.order == OrderOf::pipedream) {
      return {
          pipedream_schedule(order, profile, scheduler::processors(given.allocation), processors),
          std::nullopt};
    }
    return {layerpipe_schedule(order, profile, given.allocation, processors), std::nullopt};
  };
  return {name, "layers placed as given", std::move(plan)};
}

}  // namespace layerpipe::scheduler
