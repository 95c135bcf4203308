#include "workloads/network/infer_shapes.hpp"

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "workloads/base/checked.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/text.hpp"
#include "workloads/network/shape.hpp"

namespace layerpipe::network {
namespace {

bool needs_image(LayerType type) {
  switch (type) {
    case LayerType::conv2d:
    case LayerType::conv_transpose2d:
    case LayerType::maxpool2d:
    case LayerType::avgpool2d:
    case LayerType::adaptive_avgpool2d:
    case LayerType::upsample:
    case LayerType::batchnorm2d:
      return true;
    case LayerType::linear:
    case LayerType::relu:
    case LayerType::flatten:
    case LayerType::add:
    case LayerType::concat:
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

std::string describe(const Tensor& tensor) {
  return tensor.kind == InputKind::image ? fmt::format("an image of {}", to_string(tensor.shape))
                                         : fmt::format("{} features", tensor.shape.channels);
}

bool fit_together(LayerType type, const Tensor& a, const Tensor& b) {
  return a.kind == b.kind && a.shape.height == b.shape.height && a.shape.width == b.shape.width &&
         (type == LayerType::concat || a.shape.channels == b.shape.channels);
}

/// What the layers of a network give, as far as it is known.
class Outputs {
 public:
  Outputs(const Network& network, InputKind input_kind)
      : network_(network), network_input_{network.input, input_kind} {}

  void add(const Tensor& output) { outputs_.push_back(output); }

  /// What `layer` gets: the channels of all inputs for a concat, else what each input is. Throws
  /// InputError, without a position, if the inputs do not fit together.
  [[nodiscard]] Tensor joined_inputs(const Layer& layer) const {
    const std::size_t first = layer.inputs.front();
    Tensor result = from(first);
    for (const std::size_t next : std::span(layer.inputs).subspan(1)) {
      if (!fit_together(layer.type, from(first), from(next))) fail_to_join(layer, first, next);
      if (layer.type == LayerType::concat) {
        result.shape.channels = base::exact_sum({result.shape.channels, from(next).shape.channels},
                                                "number of channels of the output");
      }
    }
    return result;
  }

 private:
  [[nodiscard]] const Tensor& from(std::size_t source) const {
    return source == Layer::network_input ? network_input_ : outputs_[source];
  }

  [[nodiscard]] std::string name(std::size_t source) const {
    return source == Layer::network_input ? "the network's input"
                                          : base::in_quotes(network_.layers[source].name);
  }

  [[noreturn]] void fail_to_join(const Layer& layer, std::size_t first, std::size_t next) const {
    throw InputError(
        fmt::format("{} gets {} from {} and {} from {} (expected {})", described(layer.type),
                    describe(from(first)), name(first), describe(from(next)), name(next),
                    layer.type == LayerType::concat ? "features, or images of one height and width"
                                                    : "inputs of one shape"));
  }

  const Network& network_;
  Tensor network_input_;
  std::vector<Tensor> outputs_;
};

InputKind kind_of_output(LayerType type, InputKind input) {
  const bool makes_features = type == LayerType::linear || type == LayerType::flatten;
  return makes_features ? InputKind::features : input;
}

/// Throws InputError, without a position, for a layer that does not fit.
Tensor infer_layer(Layer& layer, const Tensor& input) {
  if (needs_image(layer.type) && input.kind != InputKind::image) {
    throw InputError(
        fmt::format("{} gets {} (expected an image)", described(layer.type), describe(input)));
  }
  layer.input = input.shape;
  layer.output = output_shape(layer, input.shape);
  return {layer.output, kind_of_output(layer.type, input.kind)};
}

}  // namespace

std::optional<LayerProblem> infer_shapes(Network& network, InputKind input_kind) {
  Outputs outputs(network, input_kind);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    Layer& layer = network.layers[i];
    try {
      outputs.add(infer_layer(layer, outputs.joined_inputs(layer)));
    } catch (const InputError& error) {
      return LayerProblem{i, error.what()};
    }
  }
  return std::nullopt;
}

}  // namespace layerpipe::network
