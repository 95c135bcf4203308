#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "sim/engine/marking.hpp"
#include "sim/engine/order_rule.hpp"
#include "sim/engine/transfer_queue.hpp"
#include "sim/events/channel.hpp"
#include "sim/events/events.hpp"

namespace layerpipe::engine {

/// A schedule under execution: what runs, what waits, what may start. It knows dates but has no
/// clock: the engine's actors start what may start, and tell it what has ended.
///
/// All that ends at a date, operations and transfers of no duration included, is settled before
/// anything that takes time is picked; so the order in which ends of one date are told has no
/// effect.
class Execution {
 public:
  /// `transfer_cycles[t]` is what tensor t takes on its channel when nobody else uses the links.
  Execution(const contract::Schedule& schedule, const events::Channels& channels,
            const std::vector<std::int64_t>& transfer_cycles, std::int64_t minibatches,
            events::EventSink& sink);

  [[nodiscard]] std::int64_t date() const { return date_; }
  /// Moves the date, in cycles; never back. Throws InfeasibleError above 10^14, the limit up to
  /// which dates are exact.
  void advance(std::int64_t date);

  /// True if the processor is idle and one of its operations may start.
  [[nodiscard]] bool can_start_operation(costs::ProcessorId processor) const;
  /// Starts what the processor's order picks; returns its cycles, at least 1.
  std::int64_t start_operation(costs::ProcessorId processor);
  /// The processor's operation ends now.
  void end_operation(costs::ProcessorId processor);

  /// True if the channel is idle and a transfer waits for it.
  [[nodiscard]] bool can_start_transfer(std::size_t channel) const;
  Transfer start_transfer(std::size_t channel);
  /// The channel's transfer arrives now.
  void end_transfer(std::size_t channel);

  /// Replaces the lists by the processors and channels that something has happened to since they
  /// were last taken: nothing new can start anywhere else.
  void take_touched(std::vector<costs::ProcessorId>& processors,
                    std::vector<std::size_t>& channels);

  /// Leaves out all minibatches that have not begun. What has happened so far is what happens in a
  /// run of as many minibatches as are left, and so is what follows.
  void shorten();

  [[nodiscard]] const Marking& marking() const { return marking_; }
  [[nodiscard]] bool finished() const { return marking_.finished(); }

 private:
  struct Processor {
    std::unique_ptr<OrderRule> rule;
    std::optional<contract::OpId> running;
    std::int64_t minibatch = 0;  ///< of what is running
  };
  struct Channel {
    TransferQueue queue;
    std::vector<Transfer> instant;  ///< of no duration
    std::optional<Transfer> running;
  };

  /// A set of indices in the order in which they were added.
  class TouchedSet {
   public:
    explicit TouchedSet(std::size_t size) : contains_(size, false) {}
    void add(std::size_t index);
    [[nodiscard]] const std::vector<std::size_t>& members() const { return members_; }
    void take(std::vector<std::size_t>& members);

   private:
    std::vector<bool> contains_;
    std::vector<std::size_t> members_;
  };

  void settle();
  void distribute_changes();
  bool execute_instant_operation(costs::ProcessorId processor);
  bool deliver_instant_transfers(std::size_t channel);
  std::int64_t mark_started(Processor& processor, contract::OpId op);
  void mark_ended(contract::OpId op, std::int64_t minibatch);
  void mark_transfer_started(const Transfer& transfer);
  void mark_arrived(const Transfer& transfer);

  const contract::Schedule& schedule_;
  const std::vector<std::size_t>& channel_of_tensor_;
  const std::vector<std::int64_t>& transfer_cycles_;
  events::EventSink& sink_;
  Marking marking_;
  std::int64_t date_ = 0;
  std::vector<Processor> processors_;
  std::vector<Channel> channels_;
  Marking::Changes changes_;
  TouchedSet touched_processors_;
  TouchedSet touched_channels_;
};

}  // namespace layerpipe::engine
