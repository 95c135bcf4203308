#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "scheduler/layerpipe_schedule.hpp"
#include "scheduler/partition/layerpipe.hpp"
#include "scheduler/partition/layerpipe_optimal.hpp"
#include "scheduler/partition/pipedream.hpp"
#include "scheduler/pipedream_schedule.hpp"
#include "scheduler/scheduler.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::scheduler {

namespace {

Plan plan_pipedream(const Profile& profile, const platforms::Machine& machine,
                    const SchedulerOptions& options) {
  return {pipedream_schedule("pipedream", profile,
                             pipedream_partition(profile, machine, options.objective),
                             machine.processors.size()),
          std::nullopt};
}

Plan plan_layerpipe(const Profile& profile, const platforms::Machine& machine,
                    const SchedulerOptions& options) {
  const std::size_t processors = machine.processors.size();
  const LayerPipePartition partition = layerpipe_partition(profile, processors, options);
  return {layerpipe_schedule("layerpipe", profile, partition.allocation, processors),
          partition.target_cycles};
}

Plan plan_layerpipe_optimal(const Profile& profile, const platforms::Machine& machine,
                            const SchedulerOptions& options) {
  const std::size_t processors = machine.processors.size();
  return {layerpipe_schedule("layerpipe-optimal", profile,
                             layerpipe_optimal_partition(profile, processors, options), processors),
          std::nullopt};
}

constexpr std::array all_schedulers{
    Scheduler{"layerpipe", "split backward pass, lent input gradients (Algorithm 1)",
              plan_layerpipe},
    Scheduler{"layerpipe-optimal", "the same with the least possible slowest processor",
              plan_layerpipe_optimal},
    Scheduler{"pipedream", "best whole-layer stages, asynchronous 1F1B", plan_pipedream},
};

}  // namespace

std::string_view to_string(PartitionObjective objective) {
  return objective == PartitionObjective::compute ? "compute" : "communication";
}

std::span<const Scheduler> schedulers() { return all_schedulers; }

const Scheduler& find_scheduler(std::string_view name) {
  const auto found = std::find_if(all_schedulers.begin(), all_schedulers.end(),
                                  [&](const Scheduler& s) { return s.name == name; });
  if (found != all_schedulers.end()) return *found;
  std::string known;
  for (const Scheduler& scheduler : all_schedulers) {
    known += known.empty() ? "" : ", ";
    known += scheduler.name;
  }
  throw UsageError(fmt::format("unknown schedule '{}' (expected one of: {})", name, known));
}

}  // namespace layerpipe::scheduler
