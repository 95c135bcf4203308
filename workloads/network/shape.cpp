#include "workloads/network/shape.hpp"

#include <fmt/format.h>

#include "workloads/base/checked.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::network {
namespace {

/// Positions of a window along one side; 0 if it does not fit.
std::int64_t positions(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                       std::int64_t padding, std::int64_t dilation) {
  const std::int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

Extent slide(const Window& window, const Shape& input) {
  const Extent result{positions(input.height, window.kernel.height, window.stride.height,
                                window.padding.height, window.dilation.height),
                      positions(input.width, window.kernel.width, window.stride.width,
                                window.padding.width, window.dilation.width)};
  if (result.height > 0 && result.width > 0) return result;
  throw InputError(fmt::format(
      "a window of {} x {} does not fit (expected at most the padded input of {} x {})",
      window.dilation.height * (window.kernel.height - 1) + 1,
      window.dilation.width * (window.kernel.width - 1) + 1,
      input.height + 2 * window.padding.height, input.width + 2 * window.padding.width));
}

/// Side of a transposed convolution's output; less than 1 if there is none.
std::int64_t transposed_side(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                             std::int64_t padding, std::int64_t dilation,
                             std::int64_t output_padding) {
  return base::exact_product({size - 1, stride}, "side of the output") - 2 * padding +
         dilation * (kernel - 1) + output_padding + 1;
}

Extent slide_transposed(const Layer& layer, const Shape& input) {
  const Window& window = layer.window;
  const Extent result{
      transposed_side(input.height, window.kernel.height, window.stride.height,
                      window.padding.height, window.dilation.height, layer.output_padding.height),
      transposed_side(input.width, window.kernel.width, window.stride.width, window.padding.width,
                      window.dilation.width, layer.output_padding.width)};
  if (result.height > 0 && result.width > 0) return result;
  throw InputError(fmt::format("the output is {} x {} (expected at least 1 x 1; use less padding)",
                               result.height, result.width));
}

void check_groups(const Layer& layer, const Shape& input) {
  if (input.channels % layer.groups == 0) return;
  throw InputError(fmt::format("{} input channels in {} groups (expected groups of equal size)",
                               input.channels, layer.groups));
}

Shape unchecked_output_shape(const Layer& layer, const Shape& input) {
  switch (layer.type) {
    case LayerType::conv2d: {
      check_groups(layer, input);
      const Extent extent = slide(layer.window, input);
      return {layer.out_channels, extent.height, extent.width};
    }
    case LayerType::conv_transpose2d: {
      check_groups(layer, input);
      const Extent extent = slide_transposed(layer, input);
      return {layer.out_channels, extent.height, extent.width};
    }
    case LayerType::maxpool2d:
    case LayerType::avgpool2d: {
      const Extent extent = slide(layer.window, input);
      return {input.channels, extent.height, extent.width};
    }
    case LayerType::adaptive_avgpool2d:
      return {input.channels, layer.output_size.height, layer.output_size.width};
    case LayerType::upsample:
      return {input.channels,
              base::exact_product({input.height, layer.scale.height}, "height of the output"),
              base::exact_product({input.width, layer.scale.width}, "width of the output")};
    case LayerType::linear:
      if (input.height == 1 && input.width == 1) return {layer.out_channels, 1, 1};
      throw InputError(fmt::format(
          "a linear layer gets an image of {} (expected features; add a flatten layer before it)",
          to_string(input)));
    case LayerType::flatten:
      return {input.elements(), 1, 1};
    case LayerType::relu:
    case LayerType::batchnorm2d:
    case LayerType::add:
    case LayerType::concat:
    case LayerType::measured:
      return input;
  }
  throw InternalError("unknown type of layer");
}

}  // namespace

Shape output_shape(const Layer& layer, const Shape& input) {
  const Shape result = unchecked_output_shape(layer, input);
  static_cast<void>(base::exact_product({result.channels, result.height, result.width},
                                        "number of elements of the output"));
  return result;
}

}  // namespace layerpipe::network
