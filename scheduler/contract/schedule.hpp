#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scheduler/costs/ids.hpp"
#include "scheduler/costs/split.hpp"

namespace layerpipe::contract {

/// A schedule is a timed marked graph bound to processors: what is executed where, what waits for
/// what, what travels. Every operation is executed once per minibatch; where a minibatch goes
/// through in micro-batches, each of these has operations of its own. Schedulers produce it, the
/// simulation executes it, the theory reads it.
using OpId = std::size_t;
using TensorId = std::size_t;

/// One operation of one layer, or a fraction of it. `layer` is 0-based and counts layers with GEMM.
struct OpPart {
  costs::OpKind kind = costs::OpKind::forward;
  std::size_t layer = 0;
  double fraction = 1.0;
  std::int64_t cycles = 0;
  std::size_t micro_batch = 0;  ///< of the minibatch, 0-based
};

/// What a processor executes without interruption: one part, or the whole backward pass of a stage.
/// All parts are of one micro-batch. Cycles of the parts add up.
struct Op {
  std::vector<OpPart> parts;
  costs::ProcessorId processor = 0;
};

[[nodiscard]] std::int64_t cycles(const Op& op);

enum class TensorClass { local, mandatory, additional_weights, additional_gradients };

/// What is sent from one processor to another, once per minibatch, as soon as every producer has
/// ended and every part has arrived, however many wait for it there. A part is another tensor that
/// was brought to `source`, and is added up in this one or passed on: the sum of a gradient over
/// several branches. A local tensor is such a sum that stays: its destination is its source, and it
/// is there as soon as the last of its parts is. What stays and is no sum is an edge without a
/// tensor.
struct Tensor {
  static constexpr std::size_t no_value = static_cast<std::size_t>(-1);

  std::vector<OpId> producers;  ///< on `source`
  costs::ProcessorId source = 0;
  costs::ProcessorId destination = 0;
  std::int64_t bytes = 0;
  TensorClass tensor_class = TensorClass::mandatory;
  std::size_t layer = 0;  ///< of the tensor, 0-based; among equals the greatest goes first
  std::vector<TensorId> parts = {};  ///< tensors with lower ids and with `source` as destination
  /// The place in `Profile::values` of what this is, or what it is a gradient at; none for weights
  /// and for what several values are made of.
  std::size_t value = no_value;
  /// What it is made of becomes a gradient of its own: contributions of several users, added up, or
  /// the gradients at all outputs of a group. Otherwise that is one gradient, in pieces or whole.
  bool is_sum = false;
  /// Of what it carries. The weights of a minibatch are sent for all of its micro-batches, as 0.
  std::size_t micro_batch = 0;
};

/// What an operation waits for; names the cause of a stall.
enum class InputKind { activation, gradient, weights, weight_version };

/// `to` of minibatch m waits for `from` of minibatch m - tokens or, if there is a tensor, for that.
/// `from` is then one of its producers or, without one, the first that its first part comes from.
/// The first `tokens` minibatches find what they need in place.
struct Edge {
  static constexpr TensorId no_tensor = static_cast<TensorId>(-1);

  OpId from = 0;
  OpId to = 0;
  std::int64_t tokens = 0;
  InputKind input = InputKind::activation;
  TensorId tensor = no_tensor;
};

/// The processor executes its list over and over: entry (op, lag) of round k is `op` of minibatch
/// k - lag, and is left out where there is no such minibatch. It waits for an entry that is not
/// ready.
struct StaticOrder {
  struct Entry {
    OpId op = 0;
    std::int64_t lag = 0;
  };
  std::vector<Entry> entries;
};

/// Of its operations that are ready the processor executes the one with the lowest urgency, among
/// equals the oldest minibatch, among equals the one listed first.
struct PriorityOrder {
  struct Entry {
    OpId op = 0;
    int urgency = 0;
  };
  std::vector<Entry> entries;
};

using Order = std::variant<StaticOrder, PriorityOrder>;

struct Schedule {
  std::string name;  ///< of the scheduler, e.g. "layerpipe"
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  std::vector<Edge> edges;
  std::vector<Order> orders;             ///< one per processor; empty for an idle one
  std::vector<std::string> layer_names;  ///< of the layers with a GEMM
  std::vector<OpId> updates;             ///< a minibatch has ended when these have
  std::size_t stages = 0;                ///< processors that hold a layer
  /// [stage of a pipeline]: its first layer. None: each run of layers on a processor is one.
  std::vector<std::size_t> first_layers = {};
  std::size_t micro_batches = 1;             ///< equal slices of a minibatch, one after the other
  costs::Split split = costs::Split::ideal;  ///< how parts of input gradients are costed
};

/// For messages, e.g. "op 3 (forward of conv1)", "op 7 (input_gradient of conv2 and 3 more parts)".
[[nodiscard]] std::string describe(const Schedule& schedule, OpId op);

/// Throws InternalError: "schedule 'NAME': WHAT".
[[noreturn]] void fail(const Schedule& schedule, const std::string& what);

/// The operations that a tensor comes from, also by way of its parts; lower ids first.
[[nodiscard]] std::vector<OpId> origins(const Schedule& schedule, TensorId tensor);

/// [tensor]: the fewest tokens of an edge that waits for it, or for what it is a part of; at most
/// `limit`. Minibatch m of the producers sends it for minibatch m + these.
[[nodiscard]] std::vector<std::int64_t> least_tokens(const Schedule& schedule, std::int64_t limit);

/// Cycles of a minibatch on each processor.
[[nodiscard]] std::vector<std::int64_t> processor_cycles(const Schedule& schedule);

/// Of the slowest processor: no period can be shorter.
[[nodiscard]] std::int64_t slowest_processor_cycles(const Schedule& schedule);

}  // namespace layerpipe::contract
