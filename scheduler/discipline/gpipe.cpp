#include "scheduler/discipline/gpipe.hpp"

namespace layerpipe::discipline {

Program gpipe(const PipelineShape& shape) {
  Program program;
  for (std::size_t s = 0; s < shape.processors; ++s) {
    std::vector<Action>& actions = program.emplace_back();
    actions = in_turn(ActionKind::forward, s, shape.micro_batches);
    const std::vector<Action> backward = in_turn(ActionKind::backward, s, shape.micro_batches);
    actions.insert(actions.end(), backward.begin(), backward.end());
  }
  return program;
}

}  // namespace layerpipe::discipline
