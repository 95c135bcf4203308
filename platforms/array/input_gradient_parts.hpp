#pragma once

#include <cstdint>
#include <optional>

#include "platforms/array/systolic_array.hpp"
#include "workloads/network/layer.hpp"

namespace layerpipe::array {

/// The input gradient of one layer, as GEMMs that can be cut into whole input channels or whole
/// samples. There is one GEMM per group of a convolution, each with its share of the channels.
struct InputGradientGemms {
  ArraySize size;
  Dataflow dataflow = Dataflow::weight_stationary;
  network::Gemm gemm;  ///< of one group, for all samples
  std::int64_t groups = 1;
  std::int64_t group_channels = 1;  ///< input channels of a group; a divisor of gemm.n
  std::int64_t samples = 1;         ///< in a minibatch; a divisor of gemm.m

  [[nodiscard]] std::int64_t channels() const { return groups * group_channels; }
};

/// None for layers without a GEMM, and for measured ones: their costs are known for the whole only.
[[nodiscard]] std::optional<InputGradientGemms> input_gradient_gemms(const SystolicArray& array,
                                                                     const network::Layer& layer,
                                                                     std::int64_t batch);

/// Cycles of the part with `channels` input channels of all samples: as many whole groups as go
/// into them, and a GEMM with the channels left over. 0 for none. Never falls as channels are
/// added. Precondition: 0 <= channels <= gemms.channels().
[[nodiscard]] std::int64_t cycles_of_channels(const InputGradientGemms& gemms,
                                              std::int64_t channels);

/// Cycles of the part with all channels of `samples` samples. 0 for none. Never falls as samples
/// are added. Precondition: 0 <= samples <= gemms.samples.
[[nodiscard]] std::int64_t cycles_of_samples(const InputGradientGemms& gemms, std::int64_t samples);

}  // namespace layerpipe::array
