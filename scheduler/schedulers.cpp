#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scheduler/discipline/disciplines.hpp"
#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/discipline/pipedream_schedule.hpp"
#include "scheduler/micro_batch_scheduler.hpp"
#include "scheduler/placement/layerpipe.hpp"
#include "scheduler/placement/layerpipe_optimal.hpp"
#include "scheduler/placement/pipedream.hpp"
#include "scheduler/scheduler.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/nearest.hpp"

namespace layerpipe::scheduler {

namespace {

Plan plan_pipedream(const costs::Profile& profile, const machine::Machine& machine,
                    const placement::SchedulerOptions& options) {
  refuse_delays("pipedream", options);
  return {discipline::pipedream_schedule("pipedream", profile,
                                         pipedream_partition(profile, machine, options.objective),
                                         machine.processors.size()),
          std::nullopt};
}

Plan plan_algorithm_1(const std::string& name, placement::Reading reading,
                      const costs::Profile& profile, const machine::Machine& machine,
                      const placement::SchedulerOptions& options) {
  const std::size_t processors = machine.processors.size();
  placement::LayerPipePartition partition =
      layerpipe_partition(profile, processors, options, reading);
  partition.allocation.delays = options.delays.value_or(partition.allocation.delays);
  partition.allocation.priority = options.priority.value_or(partition.allocation.priority);
  return {discipline::layerpipe_schedule(name, profile, partition.allocation, processors),
          partition.target_cycles};
}

Plan plan_layerpipe(const costs::Profile& profile, const machine::Machine& machine,
                    const placement::SchedulerOptions& options) {
  return plan_algorithm_1("layerpipe", placement::Reading::literal, profile, machine, options);
}

Plan plan_layerpipe_strict(const costs::Profile& profile, const machine::Machine& machine,
                           const placement::SchedulerOptions& options) {
  return plan_algorithm_1("layerpipe-strict", placement::Reading::strict, profile, machine,
                          options);
}

Plan plan_layerpipe_optimal(const costs::Profile& profile, const machine::Machine& machine,
                            const placement::SchedulerOptions& options) {
  const std::size_t processors = machine.processors.size();
  placement::Allocation allocation = layerpipe_optimal_partition(profile, processors, options);
  allocation.delays = options.delays.value_or(allocation.delays);
  allocation.priority = options.priority.value_or(allocation.priority);
  return {discipline::layerpipe_schedule("layerpipe-optimal", profile, allocation, processors),
          std::nullopt};
}

std::vector<Scheduler> all_schedulers() {
  using enum SchedulerOption;
  std::vector<Scheduler> all{
      Scheduler{"layerpipe",
                "split backward pass, lent input gradients (Algorithm 1)",
                {alpha, max_lent_weight_bytes, max_lent_bytes, split, delays, priority},
                plan_layerpipe},
      Scheduler{"layerpipe-strict",
                "the same, and what is kept of an input gradient stays with its layer",
                {alpha, max_lent_weight_bytes, max_lent_bytes, split, delays, priority},
                plan_layerpipe_strict},
      Scheduler{"layerpipe-optimal",
                "layerpipe with the least possible slowest processor",
                {max_lent_weight_bytes, max_lent_bytes, split, delays, priority},
                plan_layerpipe_optimal},
      Scheduler{
          "pipedream", "best whole-layer stages, asynchronous 1F1B", {objective}, plan_pipedream},
  };
  for (const discipline::Discipline& discipline : discipline::disciplines()) {
    all.push_back(scheduler_of(discipline));
  }
  return all;
}

}  // namespace

void refuse_delays(std::string_view scheduler, const placement::SchedulerOptions& options) {
  if (!options.delays) return;
  throw UsageError(
      fmt::format("delays: {} has its own (expected a schedule of LayerPipe)", scheduler));
}

std::string_view to_string(SchedulerOption option) {
  switch (option) {
    case SchedulerOption::objective:
      return "objective";
    case SchedulerOption::alpha:
      return "alpha";
    case SchedulerOption::max_lent_weight_bytes:
      return "max-lent-weight-bytes";
    case SchedulerOption::max_lent_bytes:
      return "max-lent-bytes";
    case SchedulerOption::split:
      return "split";
    case SchedulerOption::delays:
      return "delays";
    case SchedulerOption::priority:
      return "priority";
    case SchedulerOption::micro_batches:
      return "micro-batches";
    case SchedulerOption::chunks:
      return "chunks";
    case SchedulerOption::placement:
      return "placement";
  }
  throw InternalError("unknown option of schedulers");
}

std::int64_t default_micro_batches(std::int64_t batch, std::size_t processors) {
  std::int64_t micro_batches = std::min(batch, 4 * static_cast<std::int64_t>(processors));
  while (batch % micro_batches != 0) --micro_batches;
  return micro_batches;
}

bool Scheduler::reads(SchedulerOption option) const {
  return std::ranges::find(options, option) != options.end();
}

std::span<const Scheduler> schedulers() {
  static const std::vector<Scheduler> all = all_schedulers();
  return all;
}

std::vector<std::string_view> readers(SchedulerOption option) {
  std::vector<std::string_view> names;
  for (const Scheduler& scheduler : schedulers()) {
    if (scheduler.reads(option)) names.push_back(scheduler.name);
  }
  return names;
}

std::string misuse(SchedulerOption option, std::span<const Scheduler* const> chosen) {
  const auto reads_it = [&](const Scheduler* scheduler) { return scheduler->reads(option); };
  if (std::ranges::any_of(chosen, reads_it)) return {};
  return fmt::format("no chosen schedule reads it (expected {})", base::one_of(readers(option)));
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
