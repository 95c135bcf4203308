#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/network/layer.hpp"

namespace layerpipe::network {

/// Bytes of one stored element of each kind of tensor.
struct ElementBytes {
  std::int64_t activation = 4;
  std::int64_t weight = 4;
  std::int64_t gradient = 4;
};

/// A directed acyclic graph of layers in an order of execution, so that every layer stands behind
/// its inputs, with every shape inferred and checked.
struct Network {
  std::string name;
  std::int64_t batch = 1;  ///< samples in a minibatch
  ElementBytes element_bytes;
  Shape input;  ///< of one sample
  std::vector<Layer> layers;
};

/// True if the layers' costs are given (`measured`) and not derived from shapes.
[[nodiscard]] bool is_measured(const Network& network);

/// Bytes of a whole minibatch of `layer`'s output.
[[nodiscard]] std::int64_t activation_bytes(const Network& network, const Layer& layer);

/// Bytes of a whole minibatch of the gradient at `layer`'s output.
[[nodiscard]] std::int64_t gradient_bytes(const Network& network, const Layer& layer);

/// Bytes of a whole minibatch of the network's input; 0 for a measured network, whose file does not
/// say.
[[nodiscard]] std::int64_t input_bytes(const Network& network);

/// Bytes of the weight tensor without bias: what an input gradient needs of the weights.
[[nodiscard]] std::int64_t weight_bytes(const Network& network, const Layer& layer);

/// Bytes of all trainable parameters.
[[nodiscard]] std::int64_t parameter_bytes(const Network& network, const Layer& layer);

/// Bytes of the gradients of all trainable parameters; of a `measured` layer as many as of the
/// parameters.
[[nodiscard]] std::int64_t parameter_gradient_bytes(const Network& network, const Layer& layer);

/// What is wrong with a network, and at which of its layers.
struct LayerProblem {
  std::size_t layer = 0;
  std::string message;

  friend bool operator==(const LayerProblem&, const LayerProblem&) = default;
};

/// The first layer one of whose sizes above is more than max_exact, or the sum of all sizes up to
/// it, the network's input included. The functions above throw InputError, without a position, for
/// a size that large. Precondition: shapes are inferred and there is a layer.
[[nodiscard]] std::optional<LayerProblem> find_size_problem(const Network& network);

}  // namespace layerpipe::network
