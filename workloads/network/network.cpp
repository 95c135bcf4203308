#include "workloads/network/network.hpp"

#include "workloads/base/checked.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::network {

namespace {

std::int64_t minibatch_bytes(const Network& network, const Shape& shape,
                             std::int64_t bytes_per_element) {
  return base::exact_product({network.batch, shape.elements(), bytes_per_element},
                             "bytes of a minibatch's activations or gradients");
}

std::int64_t bytes_of_layer(const Network& network, const Layer& layer) {
  return base::exact_sum({activation_bytes(network, layer), gradient_bytes(network, layer),
                          weight_bytes(network, layer), parameter_bytes(network, layer),
                          parameter_gradient_bytes(network, layer)},
                         "bytes of a layer");
}

std::int64_t bytes_of_input(const Network& network) {
  return base::exact_sum({minibatch_bytes(network, network.input, network.element_bytes.activation),
                          minibatch_bytes(network, network.input, network.element_bytes.gradient)},
                         "bytes of the input");
}

}  // namespace

bool is_measured(const Network& network) {
  return !network.layers.empty() && network.layers.front().type == LayerType::measured;
}

std::int64_t activation_bytes(const Network& network, const Layer& layer) {
  if (layer.type == LayerType::measured) return layer.measured.activation_bytes;
  return minibatch_bytes(network, layer.output, network.element_bytes.activation);
}

std::int64_t gradient_bytes(const Network& network, const Layer& layer) {
  if (layer.type == LayerType::measured) return layer.measured.activation_bytes;
  return minibatch_bytes(network, layer.output, network.element_bytes.gradient);
}

std::int64_t input_bytes(const Network& network) {
  if (is_measured(network)) return 0;
  return minibatch_bytes(network, network.input, network.element_bytes.activation);
}

std::int64_t weight_bytes(const Network& network, const Layer& layer) {
  if (layer.type == LayerType::measured) return layer.measured.weight_bytes;
  return base::exact_product({weight_elements(layer), network.element_bytes.weight},
                             "bytes of weights");
}

std::int64_t parameter_bytes(const Network& network, const Layer& layer) {
  if (layer.type == LayerType::measured) return layer.measured.weight_bytes;
  return base::exact_product({parameter_count(layer), network.element_bytes.weight},
                             "bytes of parameters");
}

std::int64_t parameter_gradient_bytes(const Network& network, const Layer& layer) {
  if (layer.type == LayerType::measured) return layer.measured.weight_bytes;
  return base::exact_product({parameter_count(layer), network.element_bytes.gradient},
                             "bytes of parameters' gradients");
}

std::optional<LayerProblem> find_size_problem(const Network& network) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    try {
      if (i == 0) sum = bytes_of_input(network);
      sum = base::exact_sum({sum, bytes_of_layer(network, network.layers[i])},
                            "bytes of all layers up to this one");
    } catch (const InputError& error) {
      return LayerProblem{i, error.what()};
    }
  }
  return std::nullopt;
}

}  // namespace layerpipe::network
