#include "workloads/infer_shapes.hpp"

#include <fmt/format.h>

#include <vector>

#include "workloads/base/error.hpp"
#include "workloads/shape.hpp"

namespace layerpipe::workloads {
namespace {

bool needs_image(LayerType type) {
  switch (type) {
    case LayerType::conv2d:
    case LayerType::maxpool2d:
    case LayerType::avgpool2d:
    case LayerType::adaptive_avgpool2d:
    case LayerType::batchnorm2d:
      return true;
    case LayerType::linear:
    case LayerType::relu:
    case LayerType::flatten:
    case LayerType::measured:
      return false;
  }
  throw InternalError("unknown type of layer");
}

/// What a layer gets or gives.
struct Tensor {
  Shape shape;
  InputKind kind;
};

InputKind kind_of_output(LayerType type, InputKind input) {
  const bool makes_features = type == LayerType::linear || type == LayerType::flatten;
  return makes_features ? InputKind::features : input;
}

}  // namespace

std::optional<LayerProblem> infer_shapes(Network& network, InputKind input_kind) {
  const Tensor network_input{network.input, input_kind};
  std::vector<Tensor> outputs;
  outputs.reserve(network.layers.size());
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    Layer& layer = network.layers[i];
    const std::size_t source = layer.inputs.front();
    const Tensor input = source == Layer::network_input ? network_input : outputs[source];
    if (needs_image(layer.type) && input.kind != InputKind::image) {
      return LayerProblem{i, fmt::format("a {} layer gets {} features (expected an image)",
                                         to_string(layer.type), input.shape.channels)};
    }
    layer.input = input.shape;
    try {
      layer.output = output_shape(layer, input.shape);
    } catch (const InputError& error) {
      return LayerProblem{i, error.what()};
    }
    outputs.push_back({layer.output, kind_of_output(layer.type, input.kind)});
  }
  return std::nullopt;
}

}  // namespace layerpipe::workloads
