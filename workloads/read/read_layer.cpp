#include "workloads/read/read_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "workloads/base/nearest.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::workloads {
namespace {

constexpr Range at_least_one{1, max_dimension};
constexpr Range at_least_zero{0, max_dimension};

std::vector<std::string_view> keys_of(LayerType type) {
  std::vector<std::string_view> keys{"name", "type", "inputs"};
  const auto add = [&](std::initializer_list<std::string_view> more) {
    keys.insert(keys.end(), more);
  };
  switch (type) {
    case LayerType::conv2d:
      add({"out_channels", "kernel_size", "stride", "padding", "dilation", "groups", "bias"});
      break;
    case LayerType::conv_transpose2d:
      add({"out_channels", "kernel_size", "stride", "padding", "output_padding", "dilation",
           "groups", "bias"});
      break;
    case LayerType::linear:
      add({"out_features", "bias"});
      break;
    case LayerType::maxpool2d:
      add({"kernel_size", "stride", "padding", "dilation"});
      break;
    case LayerType::avgpool2d:
      add({"kernel_size", "stride", "padding"});
      break;
    case LayerType::adaptive_avgpool2d:
      add({"output_size"});
      break;
    case LayerType::upsample:
      add({"scale_factor", "mode"});
      break;
    case LayerType::measured:
      add({"forward", "input_gradient", "weight_gradient", "activation", "weight"});
      break;
    case LayerType::relu:
    case LayerType::batchnorm2d:
    case LayerType::flatten:
    case LayerType::add:
    case LayerType::concat:
      break;
  }
  return keys;
}

LayerType read_type(const YamlValue& value) {
  const std::string_view word = value.word();
  const auto names = layer_type_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) {
    value.fail(fmt::format("unknown layer type {} {}", in_quotes(word), suggestion(word, names)));
  }
  return static_cast<LayerType>(found - names.begin());
}

/// One number for both sides, or [height, width].
Extent read_extent(const YamlValue& value, const Range& range) {
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

Extent read_extent(const YamlMapping& mapping, std::string_view key, const Range& range,
                   const Extent& otherwise) {
  const auto value = mapping.find(key);
  return value ? read_extent(*value, range) : otherwise;
}

Window read_window(const YamlMapping& mapping, const Extent& kernel, const Extent& default_stride) {
  Window window;
  window.kernel = kernel;
  window.stride = read_extent(mapping, "stride", at_least_one, default_stride);
  window.padding = read_extent(mapping, "padding", at_least_zero, {0, 0});
  window.dilation = read_extent(mapping, "dilation", at_least_one, {1, 1});
  return window;
}

Window read_pooling(const YamlMapping& mapping) {
  const Extent kernel = read_extent(mapping.at("kernel_size"), at_least_one);
  const Window window = read_window(mapping, kernel, kernel);
  const bool too_much_padding = window.padding.height > window.kernel.height / 2 ||
                                window.padding.width > window.kernel.width / 2;
  if (too_much_padding) {
    mapping.at("padding").fail("padding is too large (expected at most half of kernel_size)");
  }
  return window;
}

bool read_bias(const YamlMapping& mapping) {
  const auto value = mapping.find("bias");
  return value ? value->boolean() : true;
}

/// The limit is PyTorch's.
void read_output_padding(const YamlMapping& mapping, Layer& layer) {
  layer.output_padding = read_extent(mapping, "output_padding", at_least_zero, {0, 0});
  const Window& window = layer.window;
  if (layer.output_padding.height >= std::max(window.stride.height, window.dilation.height) ||
      layer.output_padding.width >= std::max(window.stride.width, window.dilation.width)) {
    mapping.at("output_padding")
        .fail("output_padding is too large (expected less than stride or dilation)");
  }
}

void read_convolution(const YamlMapping& mapping, Layer& layer) {
  layer.out_channels = mapping.at("out_channels").whole_number(at_least_one);
  const Extent kernel = read_extent(mapping.at("kernel_size"), at_least_one);
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

MeasuredCosts read_measured(const YamlMapping& mapping) {
  return {.forward = mapping.at("forward").duration(),
          .input_gradient = mapping.at("input_gradient").duration(),
          .weight_gradient = mapping.at("weight_gradient").duration(),
          .activation_bytes = mapping.at("activation").bytes(),
          .weight_bytes = mapping.at("weight").bytes()};
}

UpsampleMode read_mode(const YamlValue& value) {
  constexpr std::array<std::string_view, 2> modes{"nearest", "bilinear"};
  const std::string_view word = value.word();
  if (word == modes[0]) return UpsampleMode::nearest;
  if (word == modes[1]) return UpsampleMode::bilinear;
  value.fail(fmt::format("mode: unknown mode {} {}", in_quotes(word), suggestion(word, modes)));
}

std::string read_layer_name(const YamlValue& value) {
  std::string name = value.text(max_name_bytes);
  if (name == network_input_name) {
    value.fail("name: 'input' is the network's input (expected another name)");
  }
  return name;
}

}  // namespace

Layer read_layer(const YamlValue& value) {
  Layer layer;
  layer.type = read_type(value.mapping("a layer").at("type"));
  const YamlMapping mapping =
      value.mapping(fmt::format("a layer of type {}", to_string(layer.type)));
  mapping.allow_only(keys_of(layer.type));
  if (const auto name = mapping.find("name")) layer.name = read_layer_name(*name);
  switch (layer.type) {
    case LayerType::conv2d:
      read_convolution(mapping, layer);
      break;
    case LayerType::conv_transpose2d:
      read_convolution(mapping, layer);
      read_output_padding(mapping, layer);
      break;
    case LayerType::maxpool2d:
    case LayerType::avgpool2d:
      layer.window = read_pooling(mapping);
      break;
    case LayerType::linear:
      layer.out_channels = mapping.at("out_features").whole_number(at_least_one);
      layer.bias = read_bias(mapping);
      break;
    case LayerType::adaptive_avgpool2d:
      layer.output_size = read_extent(mapping.at("output_size"), at_least_one);
      break;
    case LayerType::upsample:
      layer.scale = read_extent(mapping.at("scale_factor"), at_least_one);
      if (const auto mode = mapping.find("mode")) layer.mode = read_mode(*mode);
      break;
    case LayerType::measured:
      layer.measured = read_measured(mapping);
      break;
    case LayerType::relu:
    case LayerType::batchnorm2d:
    case LayerType::flatten:
    case LayerType::add:
    case LayerType::concat:
      break;
  }
  return layer;
}

}  // namespace layerpipe::workloads
