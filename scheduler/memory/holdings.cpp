#include "scheduler/memory/holdings.hpp"

#include <algorithm>
#include <utility>

#include "scheduler/contract/micro_batches.hpp"
#include "scheduler/memory/holding_lists.hpp"

namespace layerpipe::memory {

namespace {

/// Instance k is version k; update k makes version k + 1.
Lifetime life_of_weights(const Flow& flow, std::size_t layer) {
  const LayerExecution& placed = flow.layers[layer];
  return {{{{StepKind::operation_ended, placed.weight_gradient, -1}}},
          {flow.ends(layer, placed.staleness)}};
}

/// Instance k, the part of version k that tensor `id` brings, on its destination.
Lifetime life_of_lent_weights(const Flow& flow, contract::TensorId id) {
  Moment used;
  for (const contract::Edge* edge : flow.edges[id]) {
    used.steps.push_back({StepKind::operation_ended, edge->to, edge->tokens - 1});
  }
  return {{{{StepKind::tensor_arrived, id, -1}}}, used};
}

/// Slices of channels are parts of the whole that have nothing in common; samples need all of it.
void add_unsent_weights(const Flow& flow, std::size_t layer, std::vector<Holding>& list) {
  const std::vector<contract::TensorId> sent = flow.sent(layer, Carried::weights);
  const Moment unneeded = life_of_weights(flow, layer).to;
  if (flow.schedule.split == costs::Split::batch) return add_unsent(flow, sent, -1, unneeded, list);
  for (const contract::TensorId id : sent) add_unsent(flow, {id}, -1, unneeded, list);
}

}  // namespace

void add_unsent(const Flow& flow, std::vector<contract::TensorId> same_content,
                std::int64_t arrival_lag, const Moment& unneeded, std::vector<Holding>& list) {
  const auto bytes = [&](contract::TensorId id) { return flow.schedule.tensors[id].bytes; };
  std::ranges::sort(same_content, {}, bytes);
  std::int64_t kept = 0;
  for (auto id = same_content.begin(); id != same_content.end(); ++id) {
    const contract::Tensor& tensor = flow.schedule.tensors[*id];
    Moment arrived;
    for (auto with = id; with != same_content.end(); ++with) {
      arrived.steps.push_back({StepKind::tensor_arrived, *with, arrival_lag});
    }
    const std::int64_t more = tensor.bytes - std::exchange(kept, tensor.bytes);
    if (more == 0 && tensor.bytes > 0) continue;
    list.push_back({MemoryKind::queued, Content::unsent, tensor.source, tensor.layer, more,
                    between(unneeded, arrived)});
  }
}

void add_weights(const Flow& flow, const costs::Profile& profile, std::vector<Holding>& list) {
  for (std::size_t l = 0; l < flow.layers.size(); ++l) {
    list.push_back({MemoryKind::weights, Content::weights, flow.layers[l].processor, l,
                    profile.layers[l].parameter_bytes, life_of_weights(flow, l)});
  }
  for (contract::TensorId id = 0; id < flow.carried.size(); ++id) {
    if (flow.carried[id] != Carried::weights) continue;
    const contract::Tensor& tensor = flow.schedule.tensors[id];
    const Lifetime lent = life_of_lent_weights(flow, id);
    list.push_back({MemoryKind::weights, Content::lent_weights, tensor.destination, tensor.layer,
                    tensor.bytes, lent});
  }
  for (std::size_t l = 0; l < flow.layers.size(); ++l) add_unsent_weights(flow, l, list);
}

namespace {

/// The sums of weight gradients, from the first micro-batch's to the update.
void add_weight_gradients(const Flow& flow, const costs::Profile& profile,
                          std::vector<Holding>& list) {
  for (std::size_t l = 0; l < flow.layers.size(); ++l) {
    const LayerExecution& placed = flow.layers[l];
    Moment first{{}, true};
    Moment last;
    for (const contract::OpId op : placed.weight_gradients) {
      first.steps.push_back({StepKind::operation_started, op});
      last.steps.push_back({StepKind::operation_ended, op});
    }
    list.push_back({MemoryKind::gradients, Content::weight_gradient, placed.processor, l,
                    profile.layers[l].parameter_gradient_bytes, between(first, last)});
  }
}

void translate(Moment& moment, const contract::MicroBatchSlice& slice) {
  for (Step& step : moment.steps) {
    step.id = step.kind == StepKind::tensor_arrived ? slice.tensors[step.id] : slice.ops[step.id];
  }
}

/// Values and gradients of one micro-batch.
void add_slice(const contract::MicroBatchSlice& slice, const costs::Profile& profile,
               std::vector<Holding>& list) {
  const Flow flow(slice.schedule);
  std::vector<Holding> of_slice;
  add_values(flow, profile, of_slice);
  add_gradients(flow, profile, of_slice);
  for (Holding& holding : of_slice) {
    translate(holding.lifetime.from, slice);
    translate(holding.lifetime.to, slice);
    list.push_back(std::move(holding));
  }
}

}  // namespace

std::vector<Holding> holdings(const contract::Schedule& schedule, const costs::Profile& profile) {
  const Flow flow(schedule);
  std::vector<Holding> list;
  add_weights(flow, profile, list);
  for (const contract::MicroBatchSlice& slice : micro_batch_slices(schedule)) {
    add_slice(slice, profile, list);
  }
  add_weight_gradients(flow, profile, list);
  return list;
}

namespace {

Lifetime life_of_minibatch(const LayerExecution& placed) {
  Moment first{{}, true};
  Moment last;
  for (const contract::OpId op : placed.forwards) {
    first.steps.push_back({StepKind::operation_started, op});
  }
  for (const contract::OpId op : placed.weight_gradients) {
    last.steps.push_back({StepKind::operation_ended, op});
  }
  return between(first, last);
}

/// Micro-batches take the same values, in the same order.
void add_queued(const contract::Schedule& schedule, std::vector<LayerLifetimes>& layers) {
  std::vector<std::size_t> inputs(schedule.ops.size(), 0);
  for (const contract::Edge& edge : schedule.edges) {
    const contract::OpPart& to = schedule.ops[edge.to].parts.front();
    const bool brings_value =
        edge.input == contract::InputKind::activation && to.kind == costs::OpKind::forward;
    if (!brings_value) continue;
    const Step there = edge.tensor == contract::Edge::no_tensor
                           ? Step{StepKind::operation_ended, edge.from}
                           : Step{StepKind::tensor_arrived, edge.tensor};
    std::vector<std::vector<Lifetime>>& queued = layers[to.layer].queued;
    const std::size_t input = inputs[edge.to]++;
    if (input == queued.size()) queued.emplace_back();
    queued[input].push_back({{{there}}, {{{StepKind::operation_started, edge.to, edge.tokens}}}});
  }
}

}  // namespace

std::vector<LayerLifetimes> layer_lifetimes(const contract::Schedule& schedule) {
  const Flow flow(schedule);
  std::vector<LayerLifetimes> result;
  for (std::size_t l = 0; l < flow.layers.size(); ++l) {
    result.push_back({life_of_weights(flow, l), life_of_minibatch(flow.layers[l]), {}, {}});
  }
  add_queued(schedule, result);
  for (contract::TensorId id = 0; id < flow.carried.size(); ++id) {
    if (flow.carried[id] != Carried::weights) continue;
    result[schedule.tensors[id].layer].lent_weights.push_back(life_of_lent_weights(flow, id));
  }
  return result;
}

}  // namespace layerpipe::memory
