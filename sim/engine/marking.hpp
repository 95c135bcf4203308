#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/contract/schedule.hpp"

namespace layerpipe::engine {

/// The marking of a schedule's graph: how often each operation has started and ended and each
/// tensor has arrived, and what is ready because of it. An operation's next instance m is ready
/// when on each of its edges the count of ended operations (or arrived tensors) has passed m -
/// tokens.
class Marking {
 public:
  /// A tensor that is complete and has to be sent, for the first minibatch that will use it.
  struct Produced {
    contract::TensorId tensor = 0;
    std::int64_t minibatch = 0;
  };
  struct Changes {
    std::vector<contract::OpId> ready;
    std::vector<Produced> produced;
    std::vector<Produced> summed;  ///< local tensors: complete, and where they are needed
  };

  Marking(const contract::Schedule& schedule, std::int64_t minibatches);

  /// Operations that are ready before anything has happened.
  [[nodiscard]] std::vector<contract::OpId> initially_ready() const;

  /// The minibatch of the operation's next instance; `minibatches` when there is none.
  [[nodiscard]] std::int64_t next_minibatch(contract::OpId op) const { return ops_[op].started; }
  [[nodiscard]] bool is_ready(contract::OpId op) const;
  [[nodiscard]] std::int64_t cycles(contract::OpId op) const { return ops_[op].cycles; }
  [[nodiscard]] std::int64_t minibatches() const { return minibatches_; }
  [[nodiscard]] bool finished() const { return instances_left_ == 0; }

  /// Each adds to `changes` what has become ready or was produced. `start` takes the next instance,
  /// which must be ready; `end` and `arrive` the oldest one under way. Tensors that no minibatch of
  /// the run will use are not reported.
  void start(contract::OpId op, Changes& changes);
  void end(contract::OpId op, Changes& changes);
  void arrive(contract::TensorId tensor, Changes& changes);

  /// Minibatches up to the latest one that an operation has started or may start for, or that a
  /// tensor has been produced for.
  [[nodiscard]] std::int64_t begun() const;
  /// The run is to have fewer minibatches than it was said; at least `begun`.
  void shorten(std::int64_t minibatches);

  /// The first edge that the operation's next instance waits for.
  [[nodiscard]] const contract::Edge* awaited(contract::OpId op) const;

 private:
  struct Listener {
    contract::OpId op = 0;
    std::int64_t tokens = 0;
  };
  struct OpState {
    std::int64_t cycles = 0;
    std::int64_t started = 0;
    std::int64_t ended = 0;
    std::size_t missing = 0;              ///< inputs that the next instance waits for
    std::vector<std::size_t> inputs;      ///< edges
    std::vector<Listener> local_outputs;  ///< edges without a tensor
    std::vector<contract::TensorId> tensors;
  };
  struct TensorState {
    std::int64_t produced = 0;
    std::int64_t arrived = 0;
    std::int64_t least_tokens = 0;
    std::vector<Listener> listeners;
    std::vector<contract::TensorId> wholes;  ///< tensors that this one is a part of
  };

  [[nodiscard]] bool is_satisfied(const contract::Edge& edge, std::int64_t minibatch) const;
  [[nodiscard]] std::size_t count_missing(const OpState& op) const;
  void notify(const std::vector<Listener>& listeners, std::int64_t instance, Changes& changes);
  [[nodiscard]] bool is_complete(contract::TensorId tensor) const;
  void produce(contract::TensorId tensor, Changes& changes);

  const contract::Schedule& schedule_;
  std::int64_t minibatches_;
  std::int64_t instances_left_;
  std::vector<OpState> ops_;
  std::vector<TensorState> tensors_;
};

}  // namespace layerpipe::engine
