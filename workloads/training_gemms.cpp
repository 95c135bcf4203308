#include "workloads/training_gemms.hpp"

namespace layerpipe::workloads {
namespace {

std::int64_t kernel_elements(const Layer& layer) {
  return layer.window.kernel.height * layer.window.kernel.width;
}

std::int64_t positions(const Shape& shape, std::int64_t batch) {
  return batch * shape.height * shape.width;
}

}  // namespace

Gemm forward_gemm(const Layer& layer, std::int64_t batch) {
  return {positions(layer.output, batch), kernel_elements(layer) * layer.input.channels,
          layer.output.channels};
}

Gemm input_gradient_gemm(const Layer& layer, std::int64_t batch, InputGradientMapping mapping) {
  if (mapping == InputGradientMapping::gemm) {
    return {positions(layer.output, batch), layer.output.channels,
            kernel_elements(layer) * layer.input.channels};
  }
  return {positions(layer.input, batch), kernel_elements(layer) * layer.output.channels,
          layer.input.channels};
}

Gemm weight_gradient_gemm(const Layer& layer, std::int64_t batch) {
  return {kernel_elements(layer) * layer.input.channels, positions(layer.output, batch),
          layer.output.channels};
}

}  // namespace layerpipe::workloads
