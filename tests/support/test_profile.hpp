#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/costs/profile.hpp"

namespace layerpipe::tests {

struct LayerCosts {
  std::int64_t forward = 0;
  std::int64_t input_gradient = 0;
  std::int64_t weight_gradient = 0;
  std::int64_t activation_bytes = 0;  ///< of the output; its gradient has as many
  std::int64_t weight_bytes = 0;
};

/// A chain of layers layer1, layer2, ...; the first one has no input gradient.
costs::Profile test_profile(const std::vector<LayerCosts>& layers);

/// Costs of the sample network on 32 x 32 arrays by an independent script (reference figures R4).
costs::Profile sample_profile();

/// Costs drawn from a seed: `layers` layers, each operation up to 1000 cycles.
costs::Profile random_profile(std::size_t layers, std::uint64_t seed);

}  // namespace layerpipe::tests
