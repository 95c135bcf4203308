#include "sim/metrics/in_flight.hpp"

#include <cstddef>
#include <vector>

#include "scheduler/contract/allocation_of.hpp"
#include "scheduler/discipline/program.hpp"

namespace layerpipe::metrics {

namespace {

using contract::OpId;
using costs::OpKind;
using discipline::Stage;
using memory::StepKind;

/// What a stage does with one micro-batch, on its own processor.
struct Pass {
  OpId first_forward = 0;
  std::vector<OpId> input_gradients;
  std::vector<OpId> weight_gradients;
};

/// [stage][micro-batch]
std::vector<std::vector<Pass>> passes(const contract::Schedule& schedule,
                                      const std::vector<Stage>& stages) {
  std::vector<std::size_t> stage_of_layer;
  for (std::size_t s = 0; s < stages.size(); ++s) stage_of_layer.resize(stages[s].last + 1, s);
  std::vector<std::vector<Pass>> result(stages.size(), std::vector<Pass>(schedule.micro_batches));
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    for (const contract::OpPart& part : schedule.ops[op].parts) {
      const std::size_t s = stage_of_layer[part.layer];
      if (schedule.ops[op].processor != stages[s].processor) continue;
      Pass& pass = result[s][part.micro_batch];
      if (part.kind == OpKind::input_gradient) pass.input_gradients.push_back(op);
      if (part.kind == OpKind::weight_gradient) pass.weight_gradients.push_back(op);
      const bool is_first = part.kind == OpKind::forward && part.layer == stages[s].first;
      if (is_first) pass.first_forward = op;
    }
  }
  return result;
}

memory::Moment ends(const std::vector<OpId>& ops) {
  memory::Moment moment;
  for (const OpId op : ops) moment.steps.push_back({StepKind::operation_ended, op});
  return moment;
}

std::vector<Stage> pipeline_stages(const contract::Schedule& schedule) {
  const std::vector<costs::ProcessorId> processor_of_layer =
      processors(contract::allocation_of(schedule));
  if (schedule.first_layers.empty()) return discipline::stages_of(processor_of_layer);
  std::vector<Stage> stages;
  for (const std::size_t first : schedule.first_layers) {
    if (!stages.empty()) stages.back().last = first - 1;
    stages.push_back({first, processor_of_layer.size() - 1, processor_of_layer[first]});
  }
  return stages;
}

/// Of processor p: 2 p, and 2 p + 1 until weight gradients have ended.
TalliedLifetimes lifetimes(const contract::Schedule& schedule) {
  const std::vector<Stage> stages = pipeline_stages(schedule);
  const std::vector<std::vector<Pass>> all = passes(schedule, stages);
  TalliedLifetimes result;
  result.tallies = 2 * schedule.orders.size();
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (const Pass& pass : all[s]) {
      const memory::Moment start{{{StepKind::operation_started, pass.first_forward}}};
      const bool has_input_gradient = !pass.input_gradients.empty();
      result.add({start, ends(has_input_gradient ? pass.input_gradients : pass.weight_gradients)},
                 2 * stages[s].processor);
      result.add({start, ends(pass.weight_gradients)}, 2 * stages[s].processor + 1);
    }
  }
  return result;
}

}  // namespace

InFlight::InFlight(const contract::Schedule& schedule) : tallies_(schedule, lifetimes(schedule)) {}

PeakMicroBatches InFlight::peak(costs::ProcessorId processor) const {
  return {tallies_.most(2 * processor), tallies_.most(2 * processor + 1)};
}

}  // namespace layerpipe::metrics
