#include "scheduler/discipline/pipedream_2bw.hpp"

#include <fmt/format.h>

#include "workloads/base/error.hpp"

namespace layerpipe::discipline {

Program pipedream_2bw(const PipelineShape& shape) {
  if (shape.micro_batches + 1 < shape.processors) {
    throw InfeasibleError(
        fmt::format("pipedream-2bw: {} micro-batches on {} processors (expected {} or more)",
                    shape.micro_batches, shape.processors, shape.processors - 1));
  }
  const std::size_t m = shape.micro_batches;
  Program program;
  for (std::size_t s = 0; s < shape.processors; ++s) {
    const std::size_t stages_after = shape.processors - 1 - s;
    std::vector<Action>& actions = program.emplace_back();
    for (std::size_t j = 0; j < m; ++j) {
      actions.push_back({ActionKind::forward, s, j});
      const std::size_t minibatches_before = (stages_after + m - 1 - j) / m;
      actions.push_back({ActionKind::backward, s, j + minibatches_before * m - stages_after,
                         static_cast<std::int64_t>(minibatches_before)});
    }
  }
  return program;
}

}  // namespace layerpipe::discipline
