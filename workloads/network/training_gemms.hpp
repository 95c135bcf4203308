#pragma once

#include <cstdint>

#include "workloads/network/layer.hpp"

namespace layerpipe::network {

/// An M x K matrix times a K x N matrix.
struct Gemm {
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;

  friend bool operator==(const Gemm&, const Gemm&) = default;
};

/// How the input gradient of a convolution becomes a GEMM.
enum class InputGradientMapping {
  convolution,  ///< a convolution of the output's gradient with the rotated filters
  gemm,         ///< one GEMM over the output's positions, then col2im outside the array
};

/// The GEMMs of one layer for a minibatch of `batch` samples: each operation is `layer.groups` of
/// them. With Po = batch x OH x OW, Pi = batch x H x W, a kernel of kh x kw, and Cin and Cout the
/// channels of one group:
///   forward          Po x (kh kw Cin) x Cout
///   input gradient   Pi x (kh kw Cout) x Cin, or Po x Cout x (kh kw Cin) with `gemm`
///   weight gradient  (kh kw Cin) x Po x Cout
/// A linear layer is a 1 x 1 convolution of a 1 x 1 image. A transposed convolution is the adjoint
/// of the convolution from its output to its input: its forward pass is that one's input gradient,
/// its input gradient that one's forward pass, and both have the same weight gradient.
/// Precondition: `layer` is a conv2d, conv_transpose2d or linear layer with inferred shapes.
[[nodiscard]] Gemm forward_gemm(const Layer& layer, std::int64_t batch,
                                InputGradientMapping mapping);
[[nodiscard]] Gemm input_gradient_gemm(const Layer& layer, std::int64_t batch,
                                       InputGradientMapping mapping);
[[nodiscard]] Gemm weight_gradient_gemm(const Layer& layer, std::int64_t batch);

}  // namespace layerpipe::network
