#include "workloads/network/layer.hpp"

#include <fmt/format.h>

#include <array>

#include "workloads/base/checked.hpp"

namespace layerpipe::network {
namespace {

constexpr std::array<std::string_view, 13> names{"conv2d",      "conv_transpose2d",
                                                 "linear",      "maxpool2d",
                                                 "avgpool2d",   "adaptive_avgpool2d",
                                                 "upsample",    "relu",
                                                 "batchnorm2d", "flatten",
                                                 "add",         "concat",
                                                 "measured"};

}  // namespace

std::string_view to_string(LayerType type) { return names[static_cast<std::size_t>(type)]; }

std::string described(LayerType type) {
  const std::string_view name = to_string(type);
  const bool begins_with_vowel =
      std::string_view("aeiou").find(name.front()) != std::string_view::npos;
  return fmt::format("{} {} layer", begins_with_vowel ? "an" : "a", name);
}

std::span<const std::string_view> layer_type_names() { return names; }

std::string to_string(const Shape& shape) {
  return fmt::format("{} x {} x {}", shape.channels, shape.height, shape.width);
}

bool has_gemm(const Layer& layer) {
  return layer.type == LayerType::conv2d || layer.type == LayerType::conv_transpose2d ||
         layer.type == LayerType::linear || layer.type == LayerType::measured;
}

std::int64_t weight_elements(const Layer& layer) {
  switch (layer.type) {
    case LayerType::conv2d:
    case LayerType::conv_transpose2d:
      return base::exact_product({layer.window.kernel.height, layer.window.kernel.width,
                                  layer.input.channels / layer.groups, layer.out_channels},
                                 "number of weights");
    case LayerType::linear:
      return base::exact_product({layer.input.channels, layer.out_channels}, "number of weights");
    default:
      return 0;
  }
}

std::int64_t parameter_count(const Layer& layer) {
  if (layer.type == LayerType::batchnorm2d) {
    return base::exact_product({2, layer.input.channels}, "number of parameters");
  }
  const bool has_bias = layer.bias && weight_elements(layer) > 0;
  return base::exact_sum({weight_elements(layer), has_bias ? layer.out_channels : 0},
                         "number of parameters");
}

}  // namespace layerpipe::network
