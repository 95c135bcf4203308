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

}  // namespace

std::string_view to_string(PartitionObjective objective) {
  return objective == PartitionObjective::compute ? "compute" : "communication";
}

std::span<const Scheduler> schedulers() {
  static const std::array all{
      Scheduler{"layerpipe", "split backward pass, lent input gradients (Algorithm 1)",
                plan_layerpipe},
      Scheduler{"layerpipe-optimal", "the same with the least possible slowest processor",
                plan_layerpipe_optimal},
      Scheduler{"pipedream", "best whole-layer stages, asynchronous 1F1B", plan_pipedream},
  };
  return all;
}

const Scheduler& find_scheduler(std::string_view name) {
  const std::span<const Scheduler> all = schedulers();
  const auto found = std::ranges::find(all, name, &Scheduler::name);
  if (found != all.end()) return *found;
  std::string known;
  for (const Scheduler& scheduler : all) {
    known += known.empty() ? "" : ", ";
    known += scheduler.name;
  }
  throw UsageError(fmt::format("unknown schedule '{}' (expected one of: {})", name, known));
}

}  // namespace layerpipe::scheduler
