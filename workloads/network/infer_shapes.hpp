#pragma once

#include <optional>

#include "workloads/network/network.hpp"

namespace layerpipe::network {

/// What the samples of a network are.
enum class InputKind { features, image };

/// Sets the input and output of every layer from `network.input`, in order of execution. Stops at
/// the first layer that does not fit what it gets: see output_shape; besides, a two-dimensional
/// layer on features, and inputs of an add or concat that do not fit together. An image of 1 x 1
/// may feed a linear layer without being flattened. Precondition: each layer has an input, and only
/// one unless it is an add or concat.
[[nodiscard]] std::optional<LayerProblem> infer_shapes(Network& network, InputKind input_kind);

}  // namespace layerpipe::network
