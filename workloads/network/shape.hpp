#pragma once

#include "workloads/network/layer.hpp"

namespace layerpipe::network {

/// Output shape of `layer` for one sample of shape `input`, by PyTorch's rules. The height is
///   floor((H + 2 padding - dilation (kernel - 1) - 1) / stride) + 1    of a window,
///   (H - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1    of a transposed
///   one,
/// and likewise the width. The input of an add or concat is what its inputs make together: their
/// shape, or all channels. Throws InputError (without a position) if the layer does not fit its
/// input: a window larger than its padded input, more padding than output, channels that the groups
/// do not divide, or a linear layer on an image that was not flattened.
[[nodiscard]] Shape output_shape(const Layer& layer, const Shape& input);

}  // namespace layerpipe::network
