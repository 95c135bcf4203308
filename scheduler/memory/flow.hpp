#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/memory/lifetime.hpp"

namespace layerpipe::memory {

/// The operations of one layer, by where they are executed. Where there are several micro-batches,
/// `forward` is of the last; `weight_gradient` is the one with which the update comes.
struct LayerExecution {
  costs::ProcessorId processor = 0;
  contract::OpId forward = 0;
  std::vector<contract::OpId> forwards;          ///< of all micro-batches
  contract::OpId weight_gradient = 0;            ///< and update
  std::vector<contract::OpId> weight_gradients;  ///< of all micro-batches
  std::vector<contract::OpId>
      backward;  ///< input gradient, if any, and weight gradient, on `processor`
  std::vector<contract::OpId>
      borrowed;                ///< parts of the input gradient on other processors, in their order
  std::int64_t staleness = 0;  ///< M(l)
};

/// What a tensor carries.
enum class Carried { activation, weights, weightless, gradient };

/// What is made and used where in a schedule, which outlives this. Precondition: every layer has
/// a forward pass and a weight gradient on one processor.
struct Flow {
  explicit Flow(const contract::Schedule& of);

  /// The end of all that the layer does on its own processor.
  [[nodiscard]] std::vector<Step> ends(std::size_t layer, std::int64_t lag = 0) const;

  /// Of every operation that waits for the tensor.
  [[nodiscard]] std::vector<Step> ends_of_users(contract::TensorId tensor) const;

  /// Tensors that carry such things of a layer.
  [[nodiscard]] std::vector<contract::TensorId> sent(std::size_t layer, Carried what) const;

  [[nodiscard]] bool is_forward(contract::OpId op) const {
    return op == layers[first_layer(op)].forward;
  }

  /// Of the first part of an operation.
  [[nodiscard]] std::size_t first_layer(contract::OpId op) const {
    return schedule.ops[op].parts.front().layer;
  }

  const contract::Schedule& schedule;
  std::vector<LayerExecution> layers;
  std::vector<Carried> carried;                           ///< [tensor]
  std::vector<std::vector<const contract::Edge*>> edges;  ///< [tensor]: that wait for it
  std::vector<std::vector<contract::TensorId>> wholes;    ///< [tensor]: that it is a part of
};

}  // namespace layerpipe::memory
