#include "scheduler/micro_batch_scheduler.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/discipline/lower.hpp"
#include "scheduler/placement/allocation.hpp"
#include "scheduler/placement/layerpipe.hpp"
#include "scheduler/placement/layerpipe_optimal.hpp"
#include "scheduler/placement/pipedream.hpp"
#include "scheduler/placement/stages.hpp"

namespace layerpipe::scheduler {

namespace {

using placement::Allocation;
using placement::PlacementRule;

/// One stage on each processor.
Allocation place(const costs::Profile& profile, const machine::Machine& machine,
                 const placement::SchedulerOptions& options) {
  const std::size_t processors = machine.processors.size();
  switch (options.placement) {
    case PlacementRule::layerpipe:
      return layerpipe_partition(profile, processors, options).allocation;
    case PlacementRule::layerpipe_optimal:
      return layerpipe_optimal_partition(profile, processors, options);
    case PlacementRule::even:
      return placement::whole_layers(placement::even_stages(
          profile.layers.size(), std::min(processors, profile.layers.size())));
    case PlacementRule::whole:
      break;
  }
  return placement::whole_layers(pipedream_partition(profile, machine, options.objective));
}

std::vector<discipline::Stage> chunk_stages(const costs::Profile& profile,
                                            const machine::Machine& machine,
                                            const placement::SchedulerOptions& options) {
  std::vector<discipline::Stage> stages = discipline::stages_of(chunked_stages(
      profile, machine, static_cast<std::size_t>(options.chunks), options.placement));
  for (discipline::Stage& stage : stages) stage.processor %= machine.processors.size();
  return stages;
}

/// Of program [stage], where each processor holds one.
discipline::Program by_processor(discipline::Program of_stages,
                                 const std::vector<discipline::Stage>& stages) {
  discipline::Program program(stages.back().processor + 1);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    program[stages[s].processor] = std::move(of_stages[s]);
  }
  return program;
}

Plan plan_of(const discipline::Discipline& discipline, const costs::Profile& profile,
             const machine::Machine& machine, const placement::SchedulerOptions& options) {
  discipline::Pipeline pipeline{
      .name = std::string(discipline.name),
      .stages = {},
      .processors = machine.processors.size(),
      .micro_batches = static_cast<std::size_t>(options.micro_batches.value_or(1)),
      .staleness = {},
      .program = {}};
  Allocation allocation;
  if (discipline.has_chunks) {
    pipeline.stages = chunk_stages(profile, machine, options);
    pipeline.program = discipline.program({machine.processors.size(), pipeline.micro_batches,
                                           static_cast<std::size_t>(options.chunks)});
  } else {
    allocation = place(profile, machine, options);
    pipeline.stages = discipline::stages_of(processors(allocation));
    pipeline.program = by_processor(
        discipline.program({pipeline.stages.size(), pipeline.micro_batches}), pipeline.stages);
  }
  pipeline.staleness.assign(pipeline.stages.size(), discipline.staleness);
  const bool borrows = lends(allocation);
  Plan plan{discipline.splits_backward || borrows
                ? lower_split(profile, pipeline, std::move(allocation))
                : lower_whole(profile, pipeline),
            std::nullopt};
  const bool is_of_stages = !borrows && discipline.staleness == 0;
  if (is_of_stages) plan.program = {std::move(pipeline.stages), std::move(pipeline.program)};
  return plan;
}

}  // namespace

Scheduler scheduler_of(const discipline::Discipline& discipline) {
  using enum SchedulerOption;
  std::vector<SchedulerOption> options{micro_batches, placement};
  if (discipline.has_chunks) {
    options.push_back(chunks);
  } else {
    options.insert(options.end(), {objective, alpha, max_lent_weight_bytes, max_lent_bytes, split});
  }
  auto plan = [discipline](const costs::Profile& profile, const machine::Machine& machine,
                           const placement::SchedulerOptions& in_force) -> Plan {
    refuse_delays(discipline.name, in_force);
    return plan_of(discipline, profile, machine, in_force);
  };
  return {discipline.name, discipline.summary, std::move(options), std::move(plan)};
}

}  // namespace layerpipe::scheduler
