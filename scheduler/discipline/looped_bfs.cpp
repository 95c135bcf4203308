#include "scheduler/discipline/looped_bfs.hpp"

namespace layerpipe::discipline {

Program looped_bfs(const PipelineShape& shape) {
  Program program;
  for (std::size_t p = 0; p < shape.processors; ++p) {
    std::vector<Action>& actions = program.emplace_back();
    for (std::size_t s = p; s < shape.stages(); s += shape.processors) {
      const std::vector<Action> forward = in_turn(ActionKind::forward, s, shape.micro_batches);
      actions.insert(actions.end(), forward.begin(), forward.end());
    }
    for (std::size_t chunk = shape.chunks; chunk-- > 0;) {
      const std::vector<Action> backward =
          in_turn(ActionKind::backward, chunk * shape.processors + p, shape.micro_batches);
      actions.insert(actions.end(), backward.rbegin(), backward.rend());
    }
  }
  return program;
}

}  // namespace layerpipe::discipline
