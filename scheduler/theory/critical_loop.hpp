#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/theory/token_graph.hpp"

namespace layerpipe::theory {

/// A loop of nodes each of which waits for the one before. Around it, a minibatch waits for the one
/// that is `delays` before: no period is shorter than cycles / delays.
struct CriticalLoop {
  std::int64_t cycles = 0;        ///< of all its nodes
  std::int64_t delays = 0;        ///< tokens of all its edges, at least 1
  std::vector<std::size_t> path;  ///< its nodes, each once, from the lowest on

  [[nodiscard]] double cycles_per_delay() const {
    return static_cast<double>(cycles) / static_cast<double>(delays);
  }
};

/// A node's name, for messages.
using NodeName = std::function<std::string(std::size_t)>;

/// The loop with the most cycles per delay. None if no loop takes time. Found by Howard's policy
/// iteration (Boost.Graph) in floating point, then held against all loops in integers: exact.
/// Throws DeadlockError that names a loop without tokens: on it, all wait for each other.
[[nodiscard]] std::optional<CriticalLoop> critical_loop(const TokenGraph& graph,
                                                        const NodeName& name);

}  // namespace layerpipe::theory
