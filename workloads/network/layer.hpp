#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/base/units.hpp"

namespace layerpipe::network {

/// The layers a workload may name. Names and parameters are PyTorch's; `measured` is a layer whose
/// costs are given instead of derived.
enum class LayerType {
  conv2d,
  conv_transpose2d,
  linear,
  maxpool2d,
  avgpool2d,
  adaptive_avgpool2d,
  upsample,
  relu,
  batchnorm2d,
  flatten,
  add,
  concat,
  measured,
};

/// The name that a workload file uses, e.g. "conv2d".
[[nodiscard]] std::string_view to_string(LayerType type);

/// With its article, e.g. "an add layer".
[[nodiscard]] std::string described(LayerType type);

/// The names of all types, in the order of LayerType.
[[nodiscard]] std::span<const std::string_view> layer_type_names();

/// Shape of one sample. A vector of n features is n channels of 1 x 1.
struct Shape {
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;

  /// Precondition: at most max_exact, as of every shape that was inferred.
  [[nodiscard]] std::int64_t elements() const { return channels * height * width; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// "3 x 224 x 224": channels, height, width.
[[nodiscard]] std::string to_string(const Shape& shape);

struct Extent {
  std::int64_t height = 1;
  std::int64_t width = 1;

  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Sliding window of a convolution or a pooling layer, in elements.
struct Window {
  Extent kernel{1, 1};
  Extent stride{1, 1};
  Extent padding{0, 0};
  Extent dilation{1, 1};

  friend bool operator==(const Window&, const Window&) = default;
};

/// Where an upsampled element is from: the nearest one of the input, or the four around it.
enum class UpsampleMode { nearest, bilinear };

/// Given costs of one whole minibatch of a `measured` layer.
struct MeasuredCosts {
  base::Duration forward{};
  base::Duration input_gradient{};
  base::Duration weight_gradient{};
  std::int64_t activation_bytes = 0;  ///< of the layer's output; its gradient has the same size
  std::int64_t weight_bytes = 0;
};

struct Layer {
  /// In `inputs`: the network's own input.
  static constexpr std::size_t network_input = std::numeric_limits<std::size_t>::max();

  std::string name{};
  LayerType type = LayerType::relu;
  std::vector<std::size_t> inputs{};  ///< layers whose outputs it takes, by place in the network
  Window window{};                    ///< convolutions and pooling layers
  Extent output_padding{0, 0};        ///< conv_transpose2d
  std::int64_t groups = 1;            ///< convolutions; divides their input and output channels
  std::int64_t out_channels = 0;      ///< convolutions; linear: output features
  bool bias = true;                   ///< convolutions and linear
  Extent output_size{};               ///< adaptive_avgpool2d
  Extent scale{};                     ///< upsample
  UpsampleMode mode = UpsampleMode::nearest;  ///< upsample
  MeasuredCosts measured{};                   ///< measured
  Shape input{};   ///< of one sample, a concat's inputs joined; meaningless for `measured`
  Shape output{};  ///< of one sample; meaningless for `measured`
};

/// True for layers that are executed as GEMMs on the array (conv2d, conv_transpose2d, linear) and
/// for `measured` ones. All others take no array time and travel with the layer that feeds them
/// last.
[[nodiscard]] bool has_gemm(const Layer& layer);

/// Elements of the weight tensor, without bias: out x in / groups x kernel height x kernel
/// width of a convolution, transposed or not, out x in of a linear layer, 0 for all others
/// (`measured` ones give bytes instead). Throws InputError, without a position, above max_exact.
[[nodiscard]] std::int64_t weight_elements(const Layer& layer);

/// All trainable parameters: weights, biases, and scale and shift of a batchnorm2d.
/// Throws InputError, without a position, above max_exact.
[[nodiscard]] std::int64_t parameter_count(const Layer& layer);

}  // namespace layerpipe::network
