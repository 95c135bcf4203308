#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/schedule.hpp"
#include "sim/channel.hpp"
#include "sim/engine/transfer_queue.hpp"
#include "sim/events.hpp"

namespace layerpipe::sim {

/// The state of a schedule under execution: what has ended, what waits, what may start. It knows
/// dates but has no clock: the engine's actors start what may start, and tell it what has ended.
///
/// All that ends at a date, operations and transfers of no duration included, is settled before
/// anything that takes time is picked: the order in which ends of one date are told has no effect.
///
/// Every operation and every tensor has a counter of its instances so far. An operation's next
/// instance m is ready when the counter behind each of its edges has passed m - tokens.
class Execution {
 public:
  /// `transfer_cycles[t]` is what tensor t takes on its channel when nobody else uses the links.
  Execution(const scheduler::Schedule& schedule, const Channels& channels,
            std::vector<std::int64_t> transfer_cycles, std::int64_t minibatches, EventSink& sink);

  /// Moves the date, in cycles, forward or nowhere.
  void advance(std::int64_t date);
  [[nodiscard]] std::int64_t date() const { return date_; }

  [[nodiscard]] bool can_start_operation(scheduler::ProcessorId processor) const;
  /// Starts what the processor's order picks; returns its cycles, at least 1.
  std::int64_t start_operation(scheduler::ProcessorId processor);
  /// The processor's operation ends now.
  void end_operation(scheduler::ProcessorId processor);

  [[nodiscard]] bool can_start_transfer(std::size_t channel) const;
  Transfer start_transfer(std::size_t channel);
  /// The channel's transfer arrives now.
  void end_transfer(std::size_t channel);

  /// Processors and channels that something has happened to since they were last taken.
  [[nodiscard]] std::vector<scheduler::ProcessorId> take_touched_processors();
  [[nodiscard]] std::vector<std::size_t> take_touched_channels();

  [[nodiscard]] bool finished() const { return operations_left_ == 0; }
  /// What the first processor that has not executed everything waits for, in one line.
  [[nodiscard]] std::string describe_wait() const;

 private:
  struct Listener {
    scheduler::OpId op;
    std::int64_t tokens;
  };
  struct OpState {
    std::int64_t cycles = 0;
    std::int64_t started = 0;
    std::int64_t ended = 0;
    std::size_t missing = 0;  ///< inputs that the next instance still waits for
    std::vector<std::size_t> inputs;            ///< edges
    std::vector<Listener> local_outputs;        ///< edges without a tensor
    std::vector<scheduler::TensorId> tensors;   ///< produced by this operation
  };
  struct TensorState {
    std::int64_t cycles = 0;
    std::int64_t produced = 0;
    std::int64_t arrived = 0;
    std::int64_t least_tokens = 0;
    std::vector<Listener> listeners;
  };
  struct Rank {
    int urgency = 0;
    std::size_t position = 0;
  };
  struct ProcessorState {
    std::optional<scheduler::OpId> running;
    const scheduler::StaticOrder* static_order = nullptr;  ///< null for a priority order
    std::int64_t round = 0;
    std::size_t entry = 0;
    std::vector<scheduler::OpId> ready;  ///< priority order only
    bool touched = false;
  };
  struct ChannelState {
    std::optional<Transfer> running;
    TransferQueue queue;
    std::vector<Transfer> instant;  ///< of no duration
    bool touched = false;
  };

  void build_states(const scheduler::Schedule& schedule, std::vector<std::int64_t> transfer_cycles);
  void build_orders(const scheduler::Schedule& schedule);

  [[nodiscard]] std::int64_t count_behind(const scheduler::Edge& edge) const;
  void await_next_instance(scheduler::OpId op);
  void skip_absent_entries(ProcessorState& processor) const;
  [[nodiscard]] bool is_ready(scheduler::OpId op) const;
  [[nodiscard]] std::vector<scheduler::OpId>::const_iterator most_urgent(
      const ProcessorState& processor) const;
  void mark_started(scheduler::OpId op);
  void mark_ended(scheduler::OpId op);
  void notify(const std::vector<Listener>& listeners, std::int64_t instance);
  void produce(scheduler::TensorId tensor);
  void mark_arrived(const Transfer& transfer);
  void touch(scheduler::ProcessorId processor);
  void touch_channel(std::size_t channel);
  void settle();
  bool execute_instant_operations(scheduler::ProcessorId processor);
  std::optional<scheduler::OpId> next_instant_operation(const ProcessorState& processor) const;
  bool deliver_instant_transfers(std::size_t channel);
  void record(EventKind kind, std::size_t id, std::int64_t minibatch, std::int64_t queued = 0);

  const scheduler::Schedule& schedule_;
  const std::vector<std::size_t>& channel_of_tensor_;
  std::int64_t minibatches_;
  EventSink& sink_;
  std::int64_t date_ = 0;
  std::int64_t operations_left_ = 0;
  std::vector<OpState> ops_;
  std::vector<TensorState> tensors_;
  std::vector<Rank> ranks_;
  std::vector<ProcessorState> processors_;
  std::vector<ChannelState> channels_;
  std::vector<scheduler::ProcessorId> touched_processors_;
  std::vector<std::size_t> touched_channels_;
};

}  // namespace layerpipe::sim
