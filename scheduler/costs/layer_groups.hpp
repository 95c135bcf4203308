#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "scheduler/costs/profile.hpp"
#include "workloads/network/network.hpp"

namespace layerpipe::costs {

/// A layer with a GEMM and the weightless layers that travel with it, as places in
/// `Network::layers`.
struct LayerGroup {
  std::size_t gemm = 0;
  std::vector<std::size_t> followers = {};  ///< in order of execution
};

/// Every layer belongs to a group. A weightless layer travels with the one that feeds it last in
/// the order of execution, so that a group waits for no later one.
struct LayerGroups {
  /// Group of weightless layers that are fed by the network's input alone. They cost nothing.
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  std::vector<LayerGroup> groups;     ///< in order of execution
  std::vector<std::size_t> of_layer;  ///< [place in the network]: its group, or `none`
};

[[nodiscard]] LayerGroups layer_groups(const network::Network& network);

/// Adds a layer of `group` to the users of a value. Users come in order of execution, but those of
/// one group need not stand together.
void add_use(std::vector<Value::Use>& uses, std::size_t group, bool by_gemm);

/// An output of one layer that other groups use.
struct GroupOutput {
  std::size_t layer = 0;  ///< place in the network
  Value value = {};       ///< without its bytes
};

/// By group, then place in the network.
[[nodiscard]] std::vector<GroupOutput> group_outputs(const network::Network& network,
                                                     const LayerGroups& groups);

}  // namespace layerpipe::costs
