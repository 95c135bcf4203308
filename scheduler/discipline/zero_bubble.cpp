#include "scheduler/discipline/zero_bubble.hpp"

#include <fmt/format.h>

#include <utility>

#include "workloads/base/error.hpp"

namespace layerpipe::discipline {

namespace {

/// Collects one stage's actions.
class StageActions {
 public:
  StageActions(std::size_t stage, std::size_t micro_batches, std::size_t weight_gradient_lag)
      : stage_(stage), micro_batches_(micro_batches), lag_(weight_gradient_lag) {}

  void forward() {
    if (forward_ < micro_batches_) actions_.push_back({ActionKind::forward, stage_, forward_++});
  }

  /// And the weight gradient that is due then.
  void input_gradient() {
    actions_.push_back({ActionKind::input_gradient, stage_, input_gradient_++});
    if (input_gradient_ > lag_) weight_gradient();
  }

  [[nodiscard]] std::vector<Action> finish() && {
    while (weight_gradient_ < micro_batches_) weight_gradient();
    return std::move(actions_);
  }

 private:
  void weight_gradient() {
    actions_.push_back({ActionKind::weight_gradient, stage_, weight_gradient_++});
  }

  std::vector<Action> actions_;
  std::size_t stage_;
  std::size_t micro_batches_;
  std::size_t lag_;
  std::size_t forward_ = 0;
  std::size_t input_gradient_ = 0;
  std::size_t weight_gradient_ = 0;
};

}  // namespace

Program zb_h1(const PipelineShape& shape) {
  Program program;
  for (std::size_t s = 0; s < shape.processors; ++s) {
    StageActions actions(s, shape.micro_batches, s);
    for (std::size_t j = 0; j < shape.processors - 1 - s; ++j) actions.forward();
    for (std::size_t j = 0; j < shape.micro_batches; ++j) {
      actions.forward();
      actions.input_gradient();
    }
    program.push_back(std::move(actions).finish());
  }
  return program;
}

Program zb_h2(const PipelineShape& shape) {
  if (shape.micro_batches + 1 < 2 * shape.processors) {
    throw InfeasibleError(
        fmt::format("zb-h2: {} micro-batches on {} processors (expected {} or more)",
                    shape.micro_batches, shape.processors, 2 * shape.processors - 1));
  }
  Program program;
  for (std::size_t s = 0; s < shape.processors; ++s) {
    StageActions actions(s, shape.micro_batches, 2 * s);
    for (std::size_t j = 0; j < 2 * (shape.processors - s) - 1; ++j) actions.forward();
    for (std::size_t j = 0; j < shape.micro_batches; ++j) {
      actions.input_gradient();
      actions.forward();
    }
    program.push_back(std::move(actions).finish());
  }
  return program;
}

}  // namespace layerpipe::discipline
