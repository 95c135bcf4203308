#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/costs/ids.hpp"

namespace layerpipe::discipline {

/// Consecutive layers that a processor executes together. A processor may hold several stages.
struct Stage {
  std::size_t first = 0;  ///< layer
  std::size_t last = 0;   ///< layer, included
  costs::ProcessorId processor = 0;
};

/// Each run of layers on one processor is a stage.
[[nodiscard]] std::vector<Stage> stages_of(
    const std::vector<costs::ProcessorId>& processor_of_layer);

enum class ActionKind {
  forward,          ///< F
  input_gradient,   ///< B, with the parts that the stage's processor has borrowed
  weight_gradient,  ///< W
  backward,         ///< BW: input gradients, then weight gradients
};

/// What a stage does with one micro-batch.
struct Action {
  ActionKind kind = ActionKind::forward;
  std::size_t stage = 0;
  std::size_t micro_batch = 0;
  std::int64_t lag = 0;  ///< as in contract::StaticOrder

  friend bool operator==(const Action&, const Action&) = default;
};

/// [processor]: what it does with a minibatch, one after the other.
using Program = std::vector<std::vector<Action>>;

/// A program and the stages that it is of. No part of a layer lies elsewhere, and every minibatch
/// begins with the updates of the one before.
struct StageProgram {
  std::vector<Stage> stages;
  Program program;
};

/// What a discipline makes a program for. Stage s lies on processor s mod `processors`.
struct PipelineShape {
  std::size_t processors = 1;
  std::size_t micro_batches = 1;
  std::size_t chunks = 1;  ///< stages of each processor

  [[nodiscard]] std::size_t stages() const { return processors * chunks; }
};

/// Micro-batches 0 to `count` - 1 of one stage, one after the other.
[[nodiscard]] std::vector<Action> in_turn(ActionKind kind, std::size_t stage, std::size_t count);

}  // namespace layerpipe::discipline
