#include "scheduler/discipline/one_f_one_b.hpp"

#include <algorithm>

namespace layerpipe::discipline {

namespace {

std::vector<Action> stage_in_turn(std::size_t stage, std::size_t micro_batches,
                                  std::size_t forward_first) {
  const std::size_t first = std::min(forward_first, micro_batches);
  std::vector<Action> actions = in_turn(ActionKind::forward, stage, first);
  for (std::size_t j = 0; j < micro_batches; ++j) {
    if (first + j < micro_batches) actions.push_back({ActionKind::forward, stage, first + j});
    actions.push_back({ActionKind::backward, stage, j});
  }
  return actions;
}

}  // namespace

Program one_f_one_b(const PipelineShape& shape) {
  Program program;
  for (std::size_t s = 0; s < shape.processors; ++s) {
    program.push_back(stage_in_turn(s, shape.micro_batches, shape.processors - 1 - s));
  }
  return program;
}

Program eager_one_f_one_b(const PipelineShape& shape) {
  Program program;
  for (std::size_t s = 0; s < shape.processors; ++s) {
    program.push_back(stage_in_turn(s, shape.micro_batches, 2 * (shape.processors - 1 - s)));
  }
  return program;
}

}  // namespace layerpipe::discipline
