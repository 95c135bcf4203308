#include "scheduler/given_allocation.hpp"

#include <fmt/format.h>

#include <numeric>
#include <string>
#include <utility>

#include "scheduler/layerpipe_schedule.hpp"
#include "scheduler/pipedream_schedule.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::scheduler {

std::string_view to_string(OrderOf order) {
  return order == OrderOf::pipedream ? "pipedream" : "layerpipe";
}

Allocation allocation_of_stages(const std::vector<std::int64_t>& layers_of_stages,
                                std::size_t layers, std::size_t processors) {
  const std::int64_t sum =
      std::accumulate(layers_of_stages.begin(), layers_of_stages.end(), std::int64_t{0});
  const std::string given = fmt::format("stages {}", fmt::join(layers_of_stages, ","));
  if (sum != static_cast<std::int64_t>(layers)) {
    throw InfeasibleError(
        fmt::format("{} are {} (expected {} with weights in all)", given,
                    workloads::format_count(sum, "layer", "layers"),
                    workloads::format_count(static_cast<std::int64_t>(layers), "layer", "layers")));
  }
  if (layers_of_stages.size() > processors) {
    throw InfeasibleError(fmt::format("{} are {} (expected at most {}, one for each processor)",
                                      given, layers_of_stages.size(), processors));
  }
  Allocation allocation;
  for (std::size_t stage = 0; stage < layers_of_stages.size(); ++stage) {
    for (std::int64_t l = 0; l < layers_of_stages[stage]; ++l) {
      Placement& placement = allocation.layers.emplace_back();
      placement.processor = stage;
    }
  }
  return allocation;
}

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
