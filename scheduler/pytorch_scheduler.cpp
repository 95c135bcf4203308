#include "scheduler/pytorch_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "scheduler/discipline/lower.hpp"
#include "scheduler/placement/given_allocation.hpp"
#include "scheduler/placement/pipedream.hpp"
#include "scheduler/placement/stages.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::scheduler {

namespace {

using discipline::PytorchSchedule;
using LayersOfStages = std::optional<std::vector<std::int64_t>>;

constexpr std::string_view pytorch_name = "pytorch";

bool is_chain_of_ranks(const PytorchSchedule& given) {
  for (std::size_t s = 0; s < given.rank_of_stage.size(); ++s) {
    if (given.rank_of_stage[s] != s) return false;
  }
  return true;
}

std::vector<std::size_t> given_stages(const std::vector<std::int64_t>& layers_of_stages,
                                      std::size_t layers, std::size_t stages) {
  if (layers_of_stages.size() != stages) {
    throw UsageError(fmt::format("stages: {} are given, and the schedule has {} (expected as many)",
                                 layers_of_stages.size(), stages));
  }
  return processors(placement::allocation_of_stages(layers_of_stages, layers, stages));
}

std::vector<std::size_t> stage_of_layer(const PytorchSchedule& given,
                                        const LayersOfStages& layers_of_stages,
                                        const costs::Profile& profile,
                                        const machine::Machine& machine,
                                        const placement::SchedulerOptions& options) {
  const std::size_t stages = given.rank_of_stage.size();
  if (layers_of_stages) return given_stages(*layers_of_stages, profile.layers.size(), stages);
  if (options.placement == placement::PlacementRule::whole && is_chain_of_ranks(given)) {
    machine::Machine of_ranks = machine;
    of_ranks.processors.resize(stages);
    std::vector<std::size_t> best = pipedream_partition(profile, of_ranks, options.objective);
    if (best.back() + 1 == stages) return best;
  }
  return whole_layer_stages(profile, machine, stages, options.placement);
}

std::vector<discipline::Stage> stages_on_ranks(const std::vector<std::size_t>& stage_of_layer,
                                               const PytorchSchedule& given) {
  std::vector<discipline::Stage> stages = discipline::stages_of(stage_of_layer);
  for (std::size_t s = 0; s < stages.size(); ++s) stages[s].processor = given.rank_of_stage[s];
  return stages;
}

bool is_whole(const discipline::Program& program) {
  return std::ranges::all_of(program, [](const std::vector<discipline::Action>& actions) {
    return std::ranges::all_of(actions, [](const discipline::Action& action) {
      return action.kind == discipline::ActionKind::forward ||
             action.kind == discipline::ActionKind::backward;
    });
  });
}

std::vector<costs::ProcessorId> processor_of_layer(const std::vector<discipline::Stage>& stages) {
  std::vector<costs::ProcessorId> result;
  for (const discipline::Stage& stage : stages) {
    result.insert(result.end(), stage.last + 1 - stage.first, stage.processor);
  }
  return result;
}

Plan plan_of(const PytorchSchedule& given, const LayersOfStages& layers_of_stages,
             const costs::Profile& profile, const machine::Machine& machine,
             const placement::SchedulerOptions& options) {
  if (given.program.size() > machine.processors.size()) {
    throw InfeasibleError(fmt::format(
        "the schedule has {} ranks, and the machine {} processors (expected at least as "
        "many)",
        given.program.size(), machine.processors.size()));
  }
  const discipline::Pipeline pipeline{
      .name = std::string(pytorch_name),
      .stages = stages_on_ranks(stage_of_layer(given, layers_of_stages, profile, machine, options),
                                given),
      .processors = machine.processors.size(),
      .micro_batches = given.micro_batches,
      .staleness = std::vector<std::int64_t>(given.rank_of_stage.size(), 0),
      .program = given.program};
  Plan plan{is_whole(given.program)
                ? lower_whole(profile, pipeline)
                : lower_split(profile, pipeline,
                              placement::whole_layers(processor_of_layer(pipeline.stages))),
            std::nullopt};
  plan.program = {pipeline.stages, pipeline.program};
  return plan;
}

}  // namespace

Scheduler scheduler_of(PytorchSchedule given, LayersOfStages layers_of_stages) {
  std::vector<SchedulerOption> options{SchedulerOption::micro_batches};
  if (!layers_of_stages) {
    options.insert(options.end(), {SchedulerOption::placement, SchedulerOption::objective});
  }
  auto plan = [given = std::move(given), layers = std::move(layers_of_stages)](
                  const costs::Profile& profile, const machine::Machine& machine,
                  const placement::SchedulerOptions& in_force) -> Plan {
    refuse_delays(pytorch_name, in_force);
    return plan_of(given, layers, profile, machine, in_force);
  };
  return {pytorch_name, "what each rank does, from a file", std::move(options), std::move(plan)};
}

}  // namespace layerpipe::scheduler
