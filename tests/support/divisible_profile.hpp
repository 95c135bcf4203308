#pragma once

#include <cstddef>
#include <cstdint>

#include "scheduler/costs/profile.hpp"

namespace layerpipe::tests {

/// Layers drawn from a seed whose input gradients can be divided in every way, on 4 x 4 arrays of a
/// drawn dataflow: 1 to 6 samples, up to `max_group_channels` input channels in each of 1 to 3
/// groups. Outputs are used first by one of the next three layers, or by none.
costs::Profile divisible_profile(std::size_t layers, std::int64_t max_group_channels,
                                 std::uint64_t seed);

/// Layers drawn from a seed with up to 9 cycles of each operation and borrowers as above.
costs::Profile tiny_profile(std::size_t layers, std::uint64_t seed);

}  // namespace layerpipe::tests
