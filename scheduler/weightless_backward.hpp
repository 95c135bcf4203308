#pragma once

#include <cstddef>
#include <cstdint>

#include "scheduler/layer_groups.hpp"
#include "workloads/network.hpp"

namespace layerpipe::scheduler {

/// Bytes per minibatch that a processor lacks to bring the gradient at `output`, which it has, back
/// to the layer with the GEMM: max-pool indices and relu masks of 1 byte per element, normalised
/// inputs of batchnorms. The sign of a relu's input is known as long as its output can be told from
/// the group's output; an average pool, an add and a bilinear upsampling hide it.
/// Precondition: `output` is the group's only one, and no layer of the group uses it.
[[nodiscard]] std::int64_t weightless_backward_bytes(const workloads::Network& network,
                                                     const LayerGroup& group, std::size_t output);

}  // namespace layerpipe::scheduler
