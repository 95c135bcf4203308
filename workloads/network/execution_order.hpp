#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "workloads/network/layer.hpp"

namespace layerpipe::network {

/// The places of `layers` in an order in which each stands behind its inputs; of those that could
/// come next, always the one that stands first (Kahn's algorithm, stable). Layers that are in such
/// an order keep it. Layers on a cycle, and all that need them, are left out.
/// Takes O(E log V) time for V layers with E inputs.
[[nodiscard]] std::vector<std::size_t> execution_order(std::span<const Layer> layers);

/// The places of the layers of one cycle, each an input of the next and the last one of the first.
/// It begins with the one of them that stands first. Precondition: there is a cycle.
[[nodiscard]] std::vector<std::size_t> find_cycle(std::span<const Layer> layers);

}  // namespace layerpipe::network
