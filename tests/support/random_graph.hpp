#pragma once

#include <cstddef>
#include <cstdint>

#include "workloads/network/network.hpp"

namespace layerpipe::tests {

/// A network drawn from a seed, read from a workload file: `weighted` convolutions of 1 to 3
/// channels on images of 4 x 4, joined by adds and concats of two or three branches, with relus,
/// batchnorms and pools between. Even seeds make nested blocks of series and branches; odd ones let
/// every layer take any outputs before it, some of which stay without a user. All kinds of tensors
/// have different numbers of bytes.
[[nodiscard]] network::Network random_graph(std::size_t weighted, std::uint64_t seed);

}  // namespace layerpipe::tests
