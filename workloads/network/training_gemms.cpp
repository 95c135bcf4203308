#include "workloads/network/training_gemms.hpp"

namespace layerpipe::network {
namespace {

/// One group of a convolution that is not transposed.
struct Convolution {
  std::int64_t kernel_elements;
  std::int64_t input_positions;
  std::int64_t input_channels;
  std::int64_t output_positions;
  std::int64_t output_channels;
};

std::int64_t positions(const Shape& shape, std::int64_t batch) {
  return batch * shape.height * shape.width;
}

bool is_transposed(const Layer& layer) { return layer.type == LayerType::conv_transpose2d; }

/// The layer itself, or the convolution that a transposed one is the adjoint of.
Convolution convolution(const Layer& layer, std::int64_t batch) {
  const Shape& input = is_transposed(layer) ? layer.output : layer.input;
  const Shape& output = is_transposed(layer) ? layer.input : layer.output;
  return {.kernel_elements = layer.window.kernel.height * layer.window.kernel.width,
          .input_positions = positions(input, batch),
          .input_channels = input.channels / layer.groups,
          .output_positions = positions(output, batch),
          .output_channels = output.channels / layer.groups};
}

Gemm forward(const Convolution& c) {
  return {c.output_positions, c.kernel_elements * c.input_channels, c.output_channels};
}

Gemm input_gradient(const Convolution& c, InputGradientMapping mapping) {
  if (mapping == InputGradientMapping::gemm) {
    return {c.output_positions, c.output_channels, c.kernel_elements * c.input_channels};
  }
  return {c.input_positions, c.kernel_elements * c.output_channels, c.input_channels};
}

}  // namespace

Gemm forward_gemm(const Layer& layer, std::int64_t batch, InputGradientMapping mapping) {
  const Convolution c = convolution(layer, batch);
  return is_transposed(layer) ? input_gradient(c, mapping) : forward(c);
}

Gemm input_gradient_gemm(const Layer& layer, std::int64_t batch, InputGradientMapping mapping) {
  const Convolution c = convolution(layer, batch);
  return is_transposed(layer) ? forward(c) : input_gradient(c, mapping);
}

Gemm weight_gradient_gemm(const Layer& layer, std::int64_t batch) {
  const Convolution c = convolution(layer, batch);
  return {c.kernel_elements * c.input_channels, c.output_positions, c.output_channels};
}

}  // namespace layerpipe::network
