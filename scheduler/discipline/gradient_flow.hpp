#pragma once

#include <optional>
#include <vector>

#include "scheduler/contract/schedule_builder.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/placement/allocation.hpp"

namespace layerpipe::discipline {

/// The operations of a layer whose backward pass is split, or is a part of its stage's.
struct LayerOps {
  contract::OpId forward = 0;
  std::optional<contract::OpId> kept;    ///< delta'
  std::vector<contract::OpId> borrowed;  ///< delta'', as in Placement::borrowed
  contract::OpId weight_gradient = 0;
  /// The whole backward pass of its stage, if that is one operation: the weight gradient, too.
  std::optional<contract::OpId> whole;
};

/// Takes the gradient at the output of each layer to its backward operations. Where a value has one
/// user, a layer with a GEMM, the parts of that layer's input gradient go straight to whoever needs
/// them. Where it has several, each processor adds up what its own layers contribute and sends it
/// to the summing processor, which sends the sum to the layer's own, and to others that have
/// borrowed a part of that layer. The share that a borrowed part has computed is added to what its
/// processor sends if that is the whole gradient, and costs no byte; otherwise it is sent by
/// itself. A whole backward pass of a stage adds up what it gets, and hands on all that it has at
/// its end.
///
/// A tensor is mandatory if a pipeline of whole layers on these processors would send it: from the
/// processor of a user to the summing one, and from there to the layer's own. A share that a
/// borrowed part sends is mandatory where it stands in for such a tensor: its user's processor is
/// not the summing one and does not send the whole gradient. All else is an additional gradient.
/// How many bytes a tensor has makes no difference.
void connect_gradients(contract::ScheduleBuilder& builder, const costs::Profile& profile,
                       const placement::Allocation& allocation, const std::vector<LayerOps>& ops);

}  // namespace layerpipe::discipline
