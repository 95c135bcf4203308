#include "scheduler/discipline/lower.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "scheduler/contract/schedule_builder.hpp"
#include "scheduler/discipline/split_backward.hpp"
#include "scheduler/discipline/whole_backward.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::discipline {

namespace {

using contract::OpId;
using contract::StaticOrder;

/// [stage]: the micro-batch whose weight gradient comes last: of the greatest lag the last listed.
std::vector<std::size_t> updating_micro_batches(const Pipeline& pipeline) {
  std::vector<std::size_t> updating(pipeline.stages.size(), 0);
  std::vector<std::int64_t> lag(pipeline.stages.size(), 0);
  for (const std::vector<Action>& actions : pipeline.program) {
    for (const Action& action : actions) {
      const bool has_weight_gradient =
          action.kind == ActionKind::weight_gradient || action.kind == ActionKind::backward;
      if (!has_weight_gradient || action.lag < lag[action.stage]) continue;
      updating[action.stage] = action.micro_batch;
      lag[action.stage] = action.lag;
    }
  }
  return updating;
}

std::vector<std::size_t> first_layers(const std::vector<Stage>& stages) {
  std::vector<std::size_t> result;
  for (const Stage& stage : stages) result.push_back(stage.first);
  return result;
}

std::size_t used_processors(const Pipeline& pipeline) {
  std::size_t used = 0;
  for (const Stage& stage : pipeline.stages) used = std::max(used, stage.processor + 1);
  return used;
}

/// [stage]: for each layer.
template <typename T>
std::vector<T> of_layers(const std::vector<Stage>& stages, const std::vector<T>& of_stages) {
  std::vector<T> result;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    result.insert(result.end(), stages[s].last + 1 - stages[s].first, of_stages[s]);
  }
  return result;
}

/// What is lent is an operation of its own, behind which the others are in pieces, too.
WholeStages whole_stages(const Pipeline& pipeline, const placement::Allocation& allocation) {
  WholeStages result(pipeline.micro_batches);
  if (lends(allocation)) return result;
  for (const std::vector<Action>& actions : pipeline.program) {
    for (const Action& action : actions) {
      if (action.kind != ActionKind::backward) continue;
      result[action.micro_batch].push_back(pipeline.stages[action.stage]);
    }
  }
  return result;
}

void append(StaticOrder& order, const std::vector<OpId>& ops, std::int64_t lag) {
  for (const OpId op : ops) order.entries.push_back({op, lag});
}

/// What an action means where the backward pass is split.
class SplitActions {
 public:
  SplitActions(const contract::ScheduleBuilder& builder, const std::vector<Stage>& stages,
               const SplitOps& ops)
      : ops_(ops), stages_(stages), borrowed_(stages.size()) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      for (std::size_t l = stages[s].first; l <= stages[s].last; ++l) {
        for (std::size_t i = 0; i < ops.front()[l].borrowed.size(); ++i) {
          const costs::ProcessorId there = builder.op(ops.front()[l].borrowed[i]).processor;
          add_borrowed({l, i}, s, there);
        }
      }
    }
  }

  [[nodiscard]] std::vector<OpId> operations(const Action& action) const {
    const Stage& stage = stages_[action.stage];
    const std::vector<LayerOps>& ops = ops_[action.micro_batch];
    std::vector<OpId> result;
    if (action.kind == ActionKind::forward) {
      for (std::size_t l = stage.first; l <= stage.last; ++l) result.push_back(ops[l].forward);
      return result;
    }
    if (ops[stage.first].whole) return {*ops[stage.first].whole};
    if (action.kind != ActionKind::weight_gradient) {
      for (std::size_t l = stage.last + 1; l-- > stage.first;) {
        if (ops[l].kept) result.push_back(*ops[l].kept);
      }
      for (const Part& part : borrowed_[action.stage]) {
        result.push_back(ops[part.layer].borrowed[part.place]);
      }
    }
    if (action.kind != ActionKind::input_gradient) {
      for (std::size_t l = stage.last + 1; l-- > stage.first;) {
        result.push_back(ops[l].weight_gradient);
      }
    }
    return result;
  }

  /// Of a processor without stages.
  [[nodiscard]] std::vector<OpId> operations_of_borrower(costs::ProcessorId processor) const {
    std::vector<OpId> result;
    for (const std::vector<LayerOps>& ops : ops_) {
      for (const auto& [borrower, part] : without_stage_) {
        if (borrower == processor) result.push_back(ops[part.layer].borrowed[part.place]);
      }
    }
    return result;
  }

 private:
  /// `place` in the layer's borrowed operations.
  struct Part {
    std::size_t layer = 0;
    std::size_t place = 0;
  };

  void add_borrowed(const Part& part, std::size_t stage, costs::ProcessorId borrower) {
    for (std::size_t s = stage + 1; s < stages_.size(); ++s) {
      if (stages_[s].processor != borrower) continue;
      borrowed_[s].insert(borrowed_[s].begin(), part);
      return;
    }
    without_stage_.insert(without_stage_.begin(), {borrower, part});
  }

  const SplitOps& ops_;
  const std::vector<Stage>& stages_;
  std::vector<std::vector<Part>> borrowed_;  ///< [stage]: nearest the output first
  std::vector<std::pair<costs::ProcessorId, Part>> without_stage_;
};

}  // namespace

contract::Schedule lower_whole(const costs::Profile& profile, const Pipeline& pipeline) {
  contract::ScheduleBuilder builder(pipeline.name, profile, used_processors(pipeline),
                                    pipeline.processors);
  const std::vector<WholeOps> ops =
      add_whole_backward(builder, profile, pipeline.stages, pipeline.micro_batches,
                         updating_micro_batches(pipeline), pipeline.staleness);
  for (costs::ProcessorId p = 0; p < pipeline.program.size(); ++p) {
    StaticOrder order;
    for (const Action& action : pipeline.program[p]) {
      const WholeOps& of_micro_batch = ops[action.micro_batch];
      const Stage& stage = pipeline.stages[action.stage];
      if (action.kind == ActionKind::forward) {
        const auto first = of_micro_batch.forward.begin();
        append(order,
               {first + static_cast<std::ptrdiff_t>(stage.first),
                first + static_cast<std::ptrdiff_t>(stage.last) + 1},
               action.lag);
      } else if (action.kind == ActionKind::backward) {
        append(order, {of_micro_batch.backward[action.stage]}, action.lag);
      } else {
        throw InternalError("a whole backward pass is to be executed in two pieces");
      }
    }
    builder.set_order(p, std::move(order));
  }
  builder.set_first_layers(first_layers(pipeline.stages));
  return std::move(builder).build();
}

contract::Schedule lower_split(const costs::Profile& profile, const Pipeline& pipeline,
                               placement::Allocation allocation) {
  const std::size_t used = std::max(used_processors(pipeline), allocation.stages());
  contract::ScheduleBuilder builder(pipeline.name, profile, used, pipeline.processors);
  allocation.delays = of_layers(pipeline.stages, pipeline.staleness);
  const SplitOps ops =
      add_split_backward(builder, profile, allocation, pipeline.micro_batches,
                         of_layers(pipeline.stages, updating_micro_batches(pipeline)),
                         whole_stages(pipeline, allocation));
  const SplitActions actions(builder, pipeline.stages, ops);
  for (costs::ProcessorId p = 0; p < pipeline.processors; ++p) {
    StaticOrder order;
    if (p < pipeline.program.size()) {
      for (const Action& action : pipeline.program[p]) {
        append(order, actions.operations(action), action.lag);
      }
    }
    append(order, actions.operations_of_borrower(p), 0);
    builder.set_order(p, std::move(order));
  }
  builder.set_first_layers(first_layers(pipeline.stages));
  return std::move(builder).build();
}

}  // namespace layerpipe::discipline
