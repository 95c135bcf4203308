#include "workloads/read/read_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::read {
namespace {

constexpr base::Range at_least_one{1, max_dimension};
constexpr base::Range at_least_zero{0, max_dimension};

std::vector<std::string_view> keys_of(network::LayerType type) {
  std::vector<std::string_view> keys{"name", "type", "inputs"};
  const auto add = [&](std::initializer_list<std::string_view> more) {
    keys.insert(keys.end(), more);
  };
  switch (type) {
    case network::LayerType::conv2d:
      add({"out_channels", "kernel_size", "stride", "padding", "dilation", "groups", "bias"});
      break;
    case network::LayerType::conv_transpose2d:
      add({"out_channels", "kernel_size", "stride", "padding", "output_padding", "dilation",
           "groups", "bias"});
      break;
    case network::LayerType::linear:
      add({"out_features", "bias"});
      break;
    case network::LayerType::maxpool2d:
      add({"kernel_size", "stride", "padding", "dilation"});
      break;
    case network::LayerType::avgpool2d:
      add({"kernel_size", "stride", "padding"});
      break;
    case network::LayerType::adaptive_avgpool2d:
      add({"output_size"});
      break;
    case network::LayerType::upsample:
      add({"scale_factor", "mode"});
      break;
    case network::LayerType::measured:
      add({"forward", "input_gradient", "weight_gradient", "activation", "weight"});
      break;
    case network::LayerType::relu:
    case network::LayerType::batchnorm2d:
    case network::LayerType::flatten:
    case network::LayerType::add:
    case network::LayerType::concat:
      break;
  }
  return keys;
}

network::LayerType read_type(const base::YamlValue& value) {
  const std::string_view word = value.word();
  const auto names = network::layer_type_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) {
    value.fail(fmt::format("unknown layer type {} {}", base::in_quotes(word),
                           base::suggestion(word, names)));
  }
  return static_cast<network::LayerType>(found - names.begin());
}

/// One number for both sides, or [height, width].
network::Extent read_extent(const base::YamlValue& value, const base::Range& range) {
  if (!value.is_list()) {
    const std::int64_t side = value.whole_number(range);
    return {side, side};
  }
  const auto sides = value.items("a list");
  if (sides.size() != 2) {
    value.fail(fmt::format("{} is a list of {} (expected one number or [height, width])",
                           value.key(), sides.size()));
  }
  return {sides[0].whole_number(range), sides[1].whole_number(range)};
}

network::Extent read_extent(const base::YamlMapping& mapping, std::string_view key,
                            const base::Range& range, const network::Extent& otherwise) {
  const auto value = mapping.find(key);
  return value ? read_extent(*value, range) : otherwise;
}

network::Window read_window(const base::YamlMapping& mapping, const network::Extent& kernel,
                            const network::Extent& default_stride) {
  network::Window window;
  window.kernel = kernel;
  window.stride = read_extent(mapping, "stride", at_least_one, default_stride);
  window.padding = read_extent(mapping, "padding", at_least_zero, {0, 0});
  window.dilation = read_extent(mapping, "dilation", at_least_one, {1, 1});
  return window;
}

network::Window read_pooling(const base::YamlMapping& mapping) {
  const network::Extent kernel = read_extent(mapping.at("kernel_size"), at_least_one);
  const network::Window window = read_window(mapping, kernel, kernel);
  const bool too_much_padding = window.padding.height > window.kernel.height / 2 ||
                                window.padding.width > window.kernel.width / 2;
  if (too_much_padding) {
    mapping.at("padding").fail("padding is too large (expected at most half of kernel_size)");
  }
  return window;
}

bool read_bias(const base::YamlMapping& mapping) {
  const auto value = mapping.find("bias");
  return value ? value->boolean() : true;
}

/// The limit is PyTorch's.
void read_output_padding(const base::YamlMapping& mapping, network::Layer& layer) {
  layer.output_padding = read_extent(mapping, "output_padding", at_least_zero, {0, 0});
  const network::Window& window = layer.window;
  if (layer.output_padding.height >= std::max(window.stride.height, window.dilation.height) ||
      layer.output_padding.width >= std::max(window.stride.width, window.dilation.width)) {
    mapping.at("output_padding")
        .fail("output_padding is too large (expected less than stride or dilation)");
  }
}

void read_convolution(const base::YamlMapping& mapping, network::Layer& layer) {
  layer.out_channels = mapping.at("out_channels").whole_number(at_least_one);
  const network::Extent kernel = read_extent(mapping.at("kernel_size"), at_least_one);
  layer.window = read_window(mapping, kernel, {1, 1});
  layer.bias = read_bias(mapping);
  if (const auto groups = mapping.find("groups")) {
    layer.groups = groups->whole_number(at_least_one);
    if (layer.out_channels % layer.groups != 0) {
      groups->fail(
          fmt::format("groups: {} output channels in {} groups (expected groups of equal "
                      "size)",
                      layer.out_channels, layer.groups));
    }
  }
}

network::MeasuredCosts read_measured(const base::YamlMapping& mapping) {
  return {.forward = mapping.at("forward").duration(),
          .input_gradient = mapping.at("input_gradient").duration(),
          .weight_gradient = mapping.at("weight_gradient").duration(),
          .activation_bytes = mapping.at("activation").bytes(),
          .weight_bytes = mapping.at("weight").bytes()};
}

network::UpsampleMode read_mode(const base::YamlValue& value) {
  constexpr std::array<std::string_view, 2> modes{"nearest", "bilinear"};
  const std::string_view word = value.word();
  if (word == modes[0]) return network::UpsampleMode::nearest;
  if (word == modes[1]) return network::UpsampleMode::bilinear;
  value.fail(fmt::format("mode: unknown mode {} {}", base::in_quotes(word),
                         base::suggestion(word, modes)));
}

std::string read_layer_name(const base::YamlValue& value) {
  std::string name = value.text(max_name_bytes);
  if (name == network_input_name) {
    value.fail("name: 'input' is the network's input (expected another name)");
  }
  return name;
}

}  // namespace

network::Layer read_layer(const base::YamlValue& value) {
  network::Layer layer;
  layer.type = read_type(value.mapping("a layer").at("type"));
  const base::YamlMapping mapping =
      value.mapping(fmt::format("a layer of type {}", to_string(layer.type)));
  mapping.allow_only(keys_of(layer.type));
  if (const auto name = mapping.find("name")) layer.name = read_layer_name(*name);
  switch (layer.type) {
    case network::LayerType::conv2d:
      read_convolution(mapping, layer);
      break;
    case network::LayerType::conv_transpose2d:
      read_convolution(mapping, layer);
      read_output_padding(mapping, layer);
      break;
    case network::LayerType::maxpool2d:
    case network::LayerType::avgpool2d:
      layer.window = read_pooling(mapping);
      break;
    case network::LayerType::linear:
      layer.out_channels = mapping.at("out_features").whole_number(at_least_one);
      layer.bias = read_bias(mapping);
      break;
    case network::LayerType::adaptive_avgpool2d:
      layer.output_size = read_extent(mapping.at("output_size"), at_least_one);
      break;
    case network::LayerType::upsample:
      layer.scale = read_extent(mapping.at("scale_factor"), at_least_one);
      if (const auto mode = mapping.find("mode")) layer.mode = read_mode(*mode);
      break;
    case network::LayerType::measured:
      layer.measured = read_measured(mapping);
      break;
    case network::LayerType::relu:
    case network::LayerType::batchnorm2d:
    case network::LayerType::flatten:
    case network::LayerType::add:
    case network::LayerType::concat:
      break;
  }
  return layer;
}

}  // namespace layerpipe::read
