#include "platforms/array/input_gradient_parts.hpp"

namespace layerpipe::array {
namespace {

std::int64_t cycles(const InputGradientGemms& gemms, const network::Gemm& gemm) {
  return gemm_cycles(gemms.size.rows, gemms.size.cols, gemms.dataflow, gemm);
}

}  // namespace

std::optional<InputGradientGemms> input_gradient_gemms(const SystolicArray& array,
                                                       const network::Layer& layer,
                                                       std::int64_t batch) {
  if (!network::has_gemm(layer) || layer.type == network::LayerType::measured) {
    return std::nullopt;
  }
  return InputGradientGemms{
      .size = {array.rows, array.cols},
      .dataflow = array.dataflow,
      .gemm = network::input_gradient_gemm(layer, batch, array.input_gradient),
      .groups = layer.groups,
      .group_channels = layer.input.channels / layer.groups,
      .samples = batch};
}

std::int64_t cycles_of_channels(const InputGradientGemms& gemms, std::int64_t channels) {
  const std::int64_t whole_groups = channels / gemms.group_channels;
  const std::int64_t rest = channels % gemms.group_channels;
  std::int64_t sum = whole_groups * cycles(gemms, gemms.gemm);
  if (rest > 0) {
    network::Gemm part = gemms.gemm;
    part.n = part.n / gemms.group_channels * rest;
    sum += cycles(gemms, part);
  }
  return sum;
}

std::int64_t cycles_of_samples(const InputGradientGemms& gemms, std::int64_t samples) {
  if (samples == 0) return 0;
  network::Gemm part = gemms.gemm;
  part.m = part.m / gemms.samples * samples;
  return gemms.groups * cycles(gemms, part);
}

}  // namespace layerpipe::array
