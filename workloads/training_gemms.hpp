#pragma once

#include <cstdint>

#include "workloads/layer.hpp"

namespace layerpipe::workloads {

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

/// The three GEMMs of one layer for a minibatch of `batch` samples. With Po = batch x OH x OW,
/// Pi = batch x H x W and a kernel of kh x kw:
///   forward          Po x (kh kw Cin) x Cout
///   input gradient   Pi x (kh kw Cout) x Cin, or Po x Cout x (kh kw Cin) with `gemm`
///   weight gradient  (kh kw Cin) x Po x Cout
/// A linear layer is a 1 x 1 convolution of a 1 x 1 image.
/// Precondition: `layer` is a conv2d or a linear layer with inferred shapes.
[[nodiscard]] Gemm forward_gemm(const Layer& layer, std::int64_t batch);
[[nodiscard]] Gemm input_gradient_gemm(const Layer& layer, std::int64_t batch,
                                       InputGradientMapping mapping);
[[nodiscard]] Gemm weight_gradient_gemm(const Layer& layer, std::int64_t batch);

}  // namespace layerpipe::workloads
