#include "tests/theory/random_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <utility>

// No schedule made here deadlocks: there is one order of all instances of all operations, by
// (minibatch + lag of the operation, place of the operation), that every edge and every static
// order agrees with. The first instance in it that is not executed is therefore always next on its
// processor or ready there. Lags and places are drawn first, then edges with enough tokens.
namespace layerpipe::tests {

namespace {

using namespace contract;
using namespace costs;

constexpr std::int64_t most_tokens = 5;

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomScheduleOptions& options)
      : engine_(seed), options_(options) {}

  Schedule run() {
    schedule_.name = "random";
    schedule_.orders.resize(1 + below(6));
    largest_cycles_ = std::array<std::uint64_t, 3>{2, 20, 1000}.at(below(3));
    const std::size_t layers = 1 + below(8);
    for (std::size_t layer = 0; layer < layers; ++layer) add_layer(layer);
    add_lags_and_places();
    add_orders();
    for (std::size_t i = below(2 * schedule_.ops.size() + 1); i > 0; --i) add_local_edge();
    for (std::size_t i = below(2 * schedule_.ops.size() + 1); i > 0; --i) add_tensor();
    add_updates();
    return std::move(schedule_);
  }

 private:
  /// 0 to limit - 1. Not std::uniform_int_distribution: libraries implement it differently.
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  OpId any_op() { return below(schedule_.ops.size()); }

  OpPart part(OpKind kind, std::size_t layer, double fraction = 1.0) {
    const std::uint64_t cycles = one_in(4) ? 0 : below(largest_cycles_ + 1);
    return {kind, layer, fraction, static_cast<std::int64_t>(cycles)};
  }

  void add_op(std::vector<OpPart> parts) {
    schedule_.ops.push_back({std::move(parts), below(schedule_.orders.size())});
  }

  /// The backward pass in one piece, in two, or with the input gradient in two parts.
  void add_layer(std::size_t layer) {
    schedule_.layer_names.push_back(fmt::format("layer{}", layer));
    add_op({part(OpKind::forward, layer)});
    const std::uint64_t form = below(3);
    if (form == 0) {
      add_op({part(OpKind::input_gradient, layer), part(OpKind::weight_gradient, layer)});
      return;
    }
    if (form == 1) {
      add_op({part(OpKind::input_gradient, layer)});
    } else {
      add_op({part(OpKind::input_gradient, layer, 0.25)});
      add_op({part(OpKind::input_gradient, layer, 0.75)});
    }
    add_op({part(OpKind::weight_gradient, layer)});
  }

  void add_lags_and_places() {
    const std::uint64_t lags = one_in(2) ? 1 : 4;
    for (OpId op = 0; op < schedule_.ops.size(); ++op) {
      lags_.push_back(static_cast<std::int64_t>(below(lags)));
      order_.push_back(op);
    }
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[below(i)]);
    places_.resize(order_.size());
    for (std::size_t place = 0; place < order_.size(); ++place) places_[order_[place]] = place;
  }

  void add_orders() {
    for (ProcessorId processor = 0; processor < schedule_.orders.size(); ++processor) {
      StaticOrder fixed;
      PriorityOrder priority;
      for (const OpId op : order_) {
        if (schedule_.ops[op].processor != processor) continue;
        fixed.entries.push_back({op, lags_[op]});
        priority.entries.push_back({op, static_cast<int>(below(4)) - 1});
      }
      if (options_.only_static_orders || one_in(2)) {
        schedule_.orders[processor] = std::move(fixed);
      } else {
        schedule_.orders[processor] = std::move(priority);
      }
    }
  }

  /// The fewest tokens with which `from` stands before `to` in the order of all instances.
  [[nodiscard]] std::int64_t least_tokens(OpId from, OpId to) const {
    const std::int64_t same_round = lags_[from] - lags_[to];
    return std::max<std::int64_t>(0, places_[from] < places_[to] ? same_round : same_round + 1);
  }

  InputKind any_input() { return static_cast<InputKind>(below(4)); }

  std::int64_t tokens_from(std::int64_t least) {
    const auto spare = static_cast<std::uint64_t>(most_tokens - least);
    return one_in(2) ? least : least + static_cast<std::int64_t>(below(spare + 1));
  }

  /// Another operation on the processor of `op`, or itself.
  OpId any_op_beside(OpId op) {
    OpId other = any_op();
    while (schedule_.ops[other].processor != schedule_.ops[op].processor) other = any_op();
    return other;
  }

  void add_local_edge() {
    const OpId from = any_op();
    const OpId to = any_op_beside(from);
    schedule_.edges.push_back({from, to, tokens_from(least_tokens(from, to)), any_input()});
  }

  void add_tensor() {
    const OpId first = any_op();
    const OpId user = any_op();
    Tensor tensor;
    tensor.source = schedule_.ops[first].processor;
    tensor.destination = schedule_.ops[user].processor;
    const bool is_local = tensor.source == tensor.destination;
    const bool added = is_local || channels_.emplace(tensor.source, tensor.destination).second;
    if (options_.one_tensor_per_channel && !added) return;
    add_parts(tensor);
    std::set<OpId> producers;
    if (tensor.parts.empty() || one_in(2)) producers.insert(first);
    for (std::uint64_t i = below(3); i > 0; --i) producers.insert(any_op_beside(first));
    tensor.producers.assign(producers.begin(), producers.end());
    tensor.bytes = one_in(5) ? 0 : static_cast<std::int64_t>(below(1001));
    tensor.tensor_class = is_local ? TensorClass::local : static_cast<TensorClass>(1 + below(3));
    tensor.layer = below(schedule_.layer_names.size());
    add_edges_of_tensor(tensor, user);
    schedule_.tensors.push_back(std::move(tensor));
  }

  /// Up to two tensors that arrive where this one starts.
  void add_parts(Tensor& tensor) {
    for (TensorId id = 0; id < schedule_.tensors.size() && tensor.parts.size() < 2; ++id) {
      if (schedule_.tensors[id].destination != tensor.source || one_in(2)) continue;
      tensor.parts.push_back(id);
    }
  }

  /// The operations that a tensor comes from, also by way of its parts.
  [[nodiscard]] std::set<OpId> origins_of(const Tensor& tensor) const {
    std::set<OpId> ops(tensor.producers.begin(), tensor.producers.end());
    for (const TensorId part : tensor.parts) ops.merge(origins_of(schedule_.tensors[part]));
    return ops;
  }

  /// What an edge that waits for the tensor names.
  [[nodiscard]] OpId first_origin(const Tensor& tensor) const {
    return tensor.producers.empty() ? first_origin(schedule_.tensors[tensor.parts.front()])
                                    : tensor.producers.front();
  }

  void add_edges_of_tensor(const Tensor& tensor, OpId first_user) {
    std::set<OpId> users = {first_user};
    for (std::uint64_t i = below(4); i > 0; --i) users.insert(any_op_beside(first_user));
    for (const OpId user : users) {
      std::int64_t least = 0;
      for (const OpId op : origins_of(tensor)) least = std::max(least, least_tokens(op, user));
      const OpId from = tensor.producers.empty() ? first_origin(tensor)
                                                 : tensor.producers[below(tensor.producers.size())];
      const TensorId id = schedule_.tensors.size();
      schedule_.edges.push_back({from, user, tokens_from(least), any_input(), id});
    }
  }

  void add_updates() {
    std::set<OpId> updates = {any_op()};
    for (std::uint64_t i = below(3); i > 0; --i) updates.insert(any_op());
    schedule_.updates.assign(updates.begin(), updates.end());
  }

  std::mt19937_64 engine_;
  RandomScheduleOptions options_;
  Schedule schedule_;
  std::uint64_t largest_cycles_ = 0;
  std::vector<std::int64_t> lags_;
  std::vector<OpId> order_;  ///< operations by place
  std::vector<std::size_t> places_;
  std::set<std::pair<ProcessorId, ProcessorId>> channels_;
};

}  // namespace

Schedule random_schedule(std::uint64_t seed, const RandomScheduleOptions& options) {
  return Generator(seed, options).run();
}

}  // namespace layerpipe::tests
