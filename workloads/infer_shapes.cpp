#include "workloads/infer_shapes.hpp"

#include <fmt/format.h>

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

}  // namespace

std::optional<LayerProblem> infer_shapes(Network& network, InputKind input_kind) {
  Shape shape = network.input;
  bool is_image = input_kind == InputKind::image;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    Layer& layer = network.layers[i];
    if (needs_image(layer.type) && !is_image) {
      return LayerProblem{i, fmt::format("a {} layer gets {} features (expected an image)",
                                         to_string(layer.type), shape.channels)};
    }
    layer.input = shape;
    try {
      layer.output = output_shape(layer, shape);
    } catch (const InputError& error) {
      return LayerProblem{i, error.what()};
    }
    shape = layer.output;
    if (layer.type == LayerType::linear || layer.type == LayerType::flatten) is_image = false;
  }
  return std::nullopt;
}

}  // namespace layerpipe::workloads
