#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/memory/lifetime.hpp"

namespace layerpipe::memory {

enum class MemoryKind { weights, activations, gradients, queued };

/// What is held.
enum class Content {
  weights,          ///< of a layer, with all parameters of its group
  lent_weights,     ///< the part of them that an input gradient lent to this processor needs
  value,            ///< an output of a group, or what the network is given
  weightless,       ///< what the backward pass of the group's weightless layers needs besides
  unsent,           ///< what is needed elsewhere alone, and has not arrived there
  gradient,         ///< at a value, or a part of it
  weight_gradient,  ///< of a layer's group
};

/// Something that a processor holds in memory, an instance for each minibatch.
struct Holding {
  MemoryKind kind = MemoryKind::weights;
  Content content = Content::weights;
  costs::ProcessorId processor = 0;
  std::size_t layer = 0;   ///< whose it is; of a value, the first there that takes it, if any
  std::int64_t bytes = 0;  ///< of an instance
  Lifetime lifetime;
};

/// All that the processors hold. Nothing is counted twice: what several operations on a processor
/// use is one holding, what is under way is held by its sender until it has arrived. Results are
/// there when the operation that makes them has ended, but for those of weight gradients, which are
/// there while these are executed, and between those of a minibatch's micro-batches: the update
/// that takes them belongs to their end. Of values and gradients there is an instance for each
/// micro-batch, of weights and their gradients one for each minibatch.
///
/// - Weights: instance k is version k. Update k - 1 makes it, and minibatch k + M(l) is the last to
///   use it: until the backward pass of that on the layer's processor has ended. A lent part: from
///   its arrival to the end of the lent operation.
/// - Values: queued from the date at which they are there until the first forward pass that uses
///   them starts, then activations until the last operation that needs them has ended: forward
///   passes, weight gradients of layers that take them, and backward operations of their own group
///   if its weightless layers read signs there.
/// - What else weightless layers need: until the last backward operation of their group there has
///   ended, and on the borrower from its arrival to the end of the lent operation.
/// - Of all these, what is not needed here, or no longer, and has not arrived where it is sent, is
///   queued.
/// - Gradients: results of operations, tensors that arrived, sums of several. Each until the last
///   operation that uses it has ended, the sum that it is a part of is complete, and it has
///   arrived where it is sent. What a whole backward pass makes within itself: the most at once,
///   while it is executed.
///
/// Precondition: the schedule was made from the profile, which is one of a micro-batch.
[[nodiscard]] std::vector<Holding> holdings(const contract::Schedule& schedule,
                                            const costs::Profile& profile);

/// What is counted of a layer on its own processor.
struct LayerLifetimes {
  Lifetime weights;  ///< as above
  /// Of a minibatch: from the start of FP(l), of its first micro-batch, to the end of G(l), of all.
  Lifetime activations;
  /// [value that it takes]: of each micro-batch, until FP(l) starts.
  std::vector<std::vector<Lifetime>> queued;
  /// On each processor that has borrowed a part of its input gradient.
  std::vector<Lifetime> lent_weights;
};

[[nodiscard]] std::vector<LayerLifetimes> layer_lifetimes(const contract::Schedule& schedule);

}  // namespace layerpipe::memory
