#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "scheduler/contract/schedule.hpp"

namespace layerpipe::theory {

/// One minibatch's execution of an operation or transfer of a tensor; dates in cycles from the
/// start of the run.
struct Span {
  std::int64_t ready = -1;  ///< all that it waits for is there; a transfer is queued
  std::int64_t start = -1;
  std::int64_t end = -1;
};

/// When everything in a run happens.
struct Timetable {
  std::vector<std::vector<Span>> ops;  ///< [op][minibatch]
  /// [tensor][minibatch of its producers]. A tensor is not sent for the last minibatches where only
  /// minibatches after the end of the run would use it: the inner vectors are shorter by that.
  std::vector<std::vector<Span>> transfers;
  std::vector<std::int64_t> minibatch_ends;  ///< when the last of `Schedule::updates` has ended
  std::int64_t makespan = 0;                 ///< end of the last operation
};

/// Whole cycles that a tensor occupies the channel between its two processors; 0 is legal.
using TransferCycles = std::function<std::int64_t(contract::TensorId)>;

/// Links that channels share: says when transfers arrive that were started on it. Of one channel at
/// most one is under way.
class SharedNetwork {
 public:
  virtual ~SharedNetwork() = default;
  /// A transfer starts, which takes a cycle or more. Dates never go back.
  virtual void start(contract::TensorId tensor, std::int64_t date) = 0;
  /// When the next transfer arrives, unless another one starts before; none if none is under way.
  [[nodiscard]] virtual std::optional<std::int64_t> next_arrival() const = 0;
  /// The transfers that arrive at `date`, which is no later than next_arrival(), each once.
  [[nodiscard]] virtual std::vector<contract::TensorId> take_arrivals(std::int64_t date) = 0;
};

/// Executes a schedule for a number of minibatches, counted from 0, by list scheduling from one
/// date to the next: a second method beside the simulation, without its engine.
///
/// A processor executes one operation at a time. The channel of two processors, one per direction,
/// sends one tensor at a time: the one whose earliest user is of the lowest minibatch; among equals
/// mandatory before additional; then the one queued earlier; then that of the greatest layer; then
/// the lowest TensorId. Channels share nothing here.
///
/// All that ends at a date, and all that is ready there and takes no time, is processed until
/// nothing changes before a processor or a channel picks what takes time.
///
/// Throws DeadlockError if operations are left that wait for each other; InfeasibleError if a date
/// does not fit 64 bits; InternalError if `check_graph` refuses the schedule, `minibatches` is less
/// than 1 or a transfer takes negative time.
[[nodiscard]] Timetable timetable(const contract::Schedule& schedule, std::int64_t minibatches,
                                  const TransferCycles& transfer_cycles);

/// The same over a network: a transfer for which `transfer_cycles`, of it alone, is a cycle or more
/// arrives when `network` says.
[[nodiscard]] Timetable timetable(const contract::Schedule& schedule, std::int64_t minibatches,
                                  const TransferCycles& transfer_cycles, SharedNetwork& network);

}  // namespace layerpipe::theory
