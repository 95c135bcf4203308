#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/theory/dataflow_graph.hpp"
#include "scheduler/theory/recurrence.hpp"

namespace layerpipe::theory {

/// What is executed once per minibatch, and what waits for what, whatever it is that waits.
struct TokenGraph {
  /// `to` of minibatch m starts when `from` of minibatch m - tokens has ended. Negative tokens: it
  /// waits for a later minibatch.
  struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    std::int64_t tokens = 0;
  };

  std::vector<std::int64_t> cycles;  ///< [node]
  std::vector<Edge> edges;
};

/// Nodes are the operations, then the transfers of the tensors, each with the cycles that it takes
/// alone on its channel; a local tensor takes none. Where the order of a processor is static, each
/// of its entries waits for the one before. What a priority order decides, and that channels send
/// one tensor at a time, is left out: the machine may be slower than the graph, never faster.
/// Throws InternalError if `check_graph` refuses the schedule or a transfer takes negative time.
[[nodiscard]] TokenGraph token_graph(const contract::Schedule& schedule,
                                     const TransferCycles& transfer_cycles);

/// Nodes and delays of the dataflow graph: processors without end, and nothing takes time on its
/// way.
[[nodiscard]] TokenGraph token_graph(const DataflowGraph& graph);

}  // namespace layerpipe::theory
