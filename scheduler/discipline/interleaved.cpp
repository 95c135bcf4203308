#include "scheduler/discipline/interleaved.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/base/error.hpp"

namespace layerpipe::discipline {

namespace {

/// The k-th forward or backward pass of a processor.
Action pass(ActionKind kind, const PipelineShape& shape, std::size_t processor, std::size_t k) {
  const std::size_t group = shape.processors * shape.chunks;
  const std::size_t in_order = k % group / shape.processors;
  const std::size_t chunk = kind == ActionKind::forward ? in_order : shape.chunks - 1 - in_order;
  return {kind, chunk * shape.processors + processor,
          k / group * shape.processors + k % shape.processors};
}

}  // namespace

Program interleaved_one_f_one_b(const PipelineShape& shape) {
  if (shape.micro_batches % shape.processors != 0) {
    throw InfeasibleError(
        fmt::format("interleaved-1f1b: {} micro-batches on {} processors (expected a multiple)",
                    shape.micro_batches, shape.processors));
  }
  const std::size_t passes = shape.micro_batches * shape.chunks;
  Program program;
  for (std::size_t p = 0; p < shape.processors; ++p) {
    std::vector<Action>& actions = program.emplace_back();
    const std::size_t first =
        std::min(2 * (shape.processors - 1 - p) + (shape.chunks - 1) * shape.processors, passes);
    for (std::size_t k = 0; k < first; ++k) {
      actions.push_back(pass(ActionKind::forward, shape, p, k));
    }
    for (std::size_t k = 0; k < passes; ++k) {
      if (first + k < passes) actions.push_back(pass(ActionKind::forward, shape, p, first + k));
      actions.push_back(pass(ActionKind::backward, shape, p, k));
    }
  }
  return program;
}

}  // namespace layerpipe::discipline
