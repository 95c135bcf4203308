#include "sim/engine/marking.hpp"

#include <algorithm>

namespace layerpipe::engine {

using contract::Edge;
using contract::OpId;
using contract::TensorId;

Marking::Marking(const contract::Schedule& schedule, std::int64_t minibatches)
    : schedule_(schedule),
      minibatches_(minibatches),
      instances_left_(static_cast<std::int64_t>(schedule.ops.size()) * minibatches),
      ops_(schedule.ops.size()),
      tensors_(schedule.tensors.size()) {
  for (OpId op = 0; op < ops_.size(); ++op) ops_[op].cycles = contract::cycles(schedule.ops[op]);
  const std::vector<std::int64_t> least_tokens = contract::least_tokens(schedule, minibatches);
  for (TensorId t = 0; t < tensors_.size(); ++t) {
    tensors_[t].least_tokens = least_tokens[t];
    for (const OpId producer : schedule.tensors[t].producers) ops_[producer].tensors.push_back(t);
    for (const TensorId part : schedule.tensors[t].parts) tensors_[part].wholes.push_back(t);
  }
  for (std::size_t e = 0; e < schedule.edges.size(); ++e) {
    const Edge& edge = schedule.edges[e];
    ops_[edge.to].inputs.push_back(e);
    if (edge.tensor == Edge::no_tensor) {
      ops_[edge.from].local_outputs.push_back({edge.to, edge.tokens});
    } else {
      tensors_[edge.tensor].listeners.push_back({edge.to, edge.tokens});
    }
  }
  for (OpState& op : ops_) op.missing = count_missing(op);
}

std::vector<OpId> Marking::initially_ready() const {
  std::vector<OpId> ready;
  for (OpId op = 0; op < ops_.size(); ++op) {
    if (is_ready(op)) ready.push_back(op);
  }
  return ready;
}

bool Marking::is_ready(OpId op) const {
  return ops_[op].missing == 0 && ops_[op].started < minibatches_;
}

bool Marking::is_satisfied(const Edge& edge, std::int64_t minibatch) const {
  const std::int64_t count =
      edge.tensor == Edge::no_tensor ? ops_[edge.from].ended : tensors_[edge.tensor].arrived;
  return minibatch - edge.tokens < count;
}

std::size_t Marking::count_missing(const OpState& op) const {
  return static_cast<std::size_t>(std::count_if(
      op.inputs.begin(), op.inputs.end(),
      [&](std::size_t edge) { return !is_satisfied(schedule_.edges[edge], op.started); }));
}

void Marking::start(OpId op, Changes& changes) {
  OpState& state = ops_[op];
  ++state.started;
  state.missing = count_missing(state);
  if (is_ready(op)) changes.ready.push_back(op);
}

void Marking::end(OpId op, Changes& changes) {
  OpState& state = ops_[op];
  const std::int64_t instance = state.ended++;
  --instances_left_;
  notify(state.local_outputs, instance, changes);
  for (const TensorId tensor : state.tensors) produce(tensor, changes);
}

void Marking::arrive(TensorId tensor, Changes& changes) {
  TensorState& state = tensors_[tensor];
  const std::int64_t instance = state.arrived++;
  notify(state.listeners, instance, changes);
  for (const TensorId whole : state.wholes) produce(whole, changes);
}

void Marking::notify(const std::vector<Listener>& listeners, std::int64_t instance,
                     Changes& changes) {
  for (const Listener& listener : listeners) {
    OpState& op = ops_[listener.op];
    if (op.started != instance + listener.tokens) continue;
    --op.missing;
    if (is_ready(listener.op)) changes.ready.push_back(listener.op);
  }
}

bool Marking::is_complete(TensorId tensor) const {
  const std::int64_t instance = tensors_[tensor].produced;
  const std::vector<OpId>& producers = schedule_.tensors[tensor].producers;
  const std::vector<TensorId>& parts = schedule_.tensors[tensor].parts;
  return std::all_of(producers.begin(), producers.end(),
                     [&](OpId producer) { return ops_[producer].ended > instance; }) &&
         std::all_of(parts.begin(), parts.end(),
                     [&](TensorId part) { return tensors_[part].arrived > instance; });
}

void Marking::produce(TensorId tensor, Changes& changes) {
  if (!is_complete(tensor)) return;
  TensorState& state = tensors_[tensor];
  const std::int64_t user = state.produced++ + state.least_tokens;
  if (user >= minibatches_) return;
  if (schedule_.tensors[tensor].tensor_class == contract::TensorClass::local) {
    changes.summed.push_back({tensor, user});
    arrive(tensor, changes);
  } else {
    changes.produced.push_back({tensor, user});
  }
}

std::int64_t Marking::begun() const {
  std::int64_t begun = 0;
  for (OpId op = 0; op < ops_.size(); ++op) {
    begun = std::max(begun, ops_[op].started + (is_ready(op) ? 1 : 0));
  }
  for (const TensorState& tensor : tensors_) {
    if (tensor.produced > 0) begun = std::max(begun, tensor.produced + tensor.least_tokens);
  }
  return std::min(begun, minibatches_);
}

void Marking::shorten(std::int64_t minibatches) {
  instances_left_ -= static_cast<std::int64_t>(ops_.size()) * (minibatches_ - minibatches);
  minibatches_ = minibatches;
}

const Edge* Marking::awaited(OpId op) const {
  for (const std::size_t e : ops_[op].inputs) {
    const Edge& edge = schedule_.edges[e];
    if (!is_satisfied(edge, ops_[op].started)) return &edge;
  }
  return nullptr;
}

}  // namespace layerpipe::engine
