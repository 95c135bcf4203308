#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

#include "scheduler/costs/layer_groups.hpp"
#include "workloads/network/network.hpp"

namespace layerpipe::costs {

/// What it takes to bring the gradients at a group's outputs back to the layer with the GEMM.
struct WeightlessBackward {
  /// Per minibatch, beside the outputs: max-pool indices and relu masks of 1 byte per element,
  /// normalised inputs of batchnorms.
  std::int64_t bytes = 0;
  std::set<std::size_t> read_outputs = {};  ///< from which signs of relus are read
};

/// Precondition: `outputs` are layers of the group, and what they have computed is known. The sign
/// of a relu's input is known as long as its output can be told from one of them; an average pool,
/// an add and a bilinear upsampling hide it.
[[nodiscard]] WeightlessBackward weightless_backward(const network::Network& network,
                                                     const LayerGroup& group,
                                                     const std::set<std::size_t>& outputs);

}  // namespace layerpipe::costs
