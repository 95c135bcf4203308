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
  refuse_delays("pipedream", options);
  return {pipedream_schedule("pipedream", profile,
                             pipedream_partition(profile, machine, options.objective),
                             machine.processors.size()),
          std::nullopt};
}

Plan plan_layerpipe(const Profile& profile, const platforms::Machine& machine,
                    const SchedulerOptions& options) {
  const std::size_t processors = machine.processors.size();
  LayerPipePartition partition = layerpipe_partition(profile, processors, options);
  partition.allocation.delays = options.delays.value_or(partition.allocation.delays);
  return {layerpipe_schedule("layerpipe", profile, partition.allocation, processors),
          partition.target_cycles};
}

Plan plan_layerpipe_optimal(const Profile& profile, const platforms::Machine& machine,
                            const SchedulerOptions& options) {
  const std::size_t processors = machine.processors.size();
  Allocation allocation = layerpipe_optimal_partition(profile, processors, options);
  allocation.delays = options.delays.value_or(allocation.delays);
  return {layerpipe_schedule("layerpipe-optimal", profile, allocation, processors), std::nullopt};
}

}  // namespace

void refuse_delays(std::string_view scheduler, const SchedulerOptions& options) {
  if (!options.delays) return;
  throw UsageError(
      fmt::format("delays: {} has its own, S(l) (expected a schedule of LayerPipe)", scheduler));
}

std::string_view to_string(PartitionObjective objective) {
  return objective == PartitionObjective::compute ? "compute" : "communication";
}

std::span<const Scheduler> schedulers() {
  static const std::array all{
      Scheduler{"layerpipe", "split backward pass, lent input gradients (Algorithm 1)", true,
                plan_layerpipe},
      Scheduler{"layerpipe-optimal", "the same with the least possible slowest processor", true,
                plan_layerpipe_optimal},
      Scheduler{"pipedream", "best whole-layer stages, asynchronous 1F1B", false, plan_pipedream},
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
