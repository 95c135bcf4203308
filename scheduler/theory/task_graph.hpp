#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/theory/recurrence.hpp"

namespace layerpipe::theory {

/// A schedule with operations and transfers treated alike: task t < ops is operation t, task
/// ops + i is the transfer of tensor i. Each belongs to a resource, a processor or a channel, and
/// is executed once per minibatch; one such execution is an instance.
using TaskId = std::size_t;

struct Instance {
  TaskId task = 0;
  std::int64_t minibatch = 0;
};

/// Instance m of `task` waits for instance m - tokens of the task before it; tokens are 0 from a
/// producer to its transfer, else those of the edge.
struct Successor {
  TaskId task = 0;
  std::int64_t tokens = 0;
};

struct Task {
  std::int64_t cycles = 0;
  std::size_t resource = 0;
  std::int64_t instances = 0;       ///< of minibatches 0, 1, ... that are executed
  std::int64_t tokens_to_user = 0;  ///< of a transfer: the least tokens of an edge that needs it
  std::int64_t urgency = 0;         ///< of an operation in a priority order
  std::size_t position = 0;         ///< of an operation in its order
  std::vector<Successor> successors = {};
};

struct TaskGraph {
  std::vector<Task> tasks;
  std::size_t ops = 0;
  std::size_t processors = 0;
  /// Processors, then channels. What executes its instances in this order; without, by rank.
  std::vector<std::optional<std::vector<Instance>>> programs;
};

/// Same arguments and errors as `timetable`.
[[nodiscard]] TaskGraph task_graph(const contract::Schedule& schedule, std::int64_t minibatches,
                                   const TransferCycles& transfer_cycles);

}  // namespace layerpipe::theory
