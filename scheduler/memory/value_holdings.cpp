#include <map>
#include <optional>
#include <utility>

#include "scheduler/memory/holding_lists.hpp"

namespace layerpipe::memory {

namespace {

/// One value on one processor.
struct Copy {
  std::size_t layer = 0;       ///< the first that takes it here, else its own
  std::optional<Step> there;   ///< none: from the start of its first use
  std::vector<Step> starts;    ///< of forward passes that use it here
  std::vector<Step> ends;      ///< of all that needs it here
  std::vector<Step> arrivals;  ///< where it is sent
};

using Copies = std::map<costs::ProcessorId, Copy>;

void add_uses(const Flow& flow, const std::vector<costs::Value::Use>& uses, Copies& copies) {
  for (const costs::Value::Use& use : uses) {
    const LayerExecution& user = flow.layers[use.layer];
    Copy& copy = copies[user.processor];
    if (copy.starts.empty()) copy.layer = use.layer;
    copy.starts.push_back({StepKind::operation_started, user.forward});
    copy.ends.push_back({StepKind::operation_ended, user.forward});
    if (use.by_gemm) copy.ends.push_back({StepKind::operation_ended, user.weight_gradient});
  }
}

/// The backward pass of the value's own group, where it reads signs of the value. Who has borrowed
/// a part of it, and has no value, is sent the signs.
void add_own_backward(const Flow& flow, std::size_t layer, Copies& copies) {
  const LayerExecution& own = flow.layers[layer];
  for (const contract::OpId op : own.backward) {
    copies[own.processor].ends.push_back({StepKind::operation_ended, op});
  }
  for (const contract::OpId op : own.borrowed) {
    const auto copy = copies.find(flow.schedule.ops[op].processor);
    if (copy != copies.end()) copy->second.ends.push_back({StepKind::operation_ended, op});
  }
}

void add_copy(std::size_t processor, const Copy& copy, std::int64_t bytes,
              std::vector<Holding>& list) {
  const auto add = [&](MemoryKind kind, Content content, Moment from, Moment to) {
    list.push_back(
        {kind, content, processor, copy.layer, bytes, between(std::move(from), std::move(to))});
  };
  const bool is_taken = !copy.starts.empty();
  const bool is_needed = !copy.ends.empty();
  const Moment there = copy.there ? Moment{{*copy.there}} : Moment{};
  const Moment first_use{copy.starts, true};
  if (copy.there && is_taken) add(MemoryKind::queued, Content::value, there, first_use);
  if (is_needed) {
    add(MemoryKind::activations, Content::value, is_taken ? first_use : there, {copy.ends});
  }
  if (!copy.arrivals.empty()) {
    add(MemoryKind::queued, Content::unsent, is_needed ? Moment{copy.ends} : there,
        {copy.arrivals});
  }
}

void add_copies(const Copies& copies, std::int64_t bytes, std::vector<Holding>& list) {
  for (const auto& [processor, copy] : copies) add_copy(processor, copy, bytes, list);
}

void add_weightless(const Flow& flow, const costs::Profile& profile, std::vector<Holding>& list) {
  for (std::size_t l = 0; l < flow.layers.size(); ++l) {
    const std::int64_t bytes = profile.layers[l].kept_weightless_bytes;
    if (bytes == 0) continue;
    const Moment there{{{StepKind::operation_ended, flow.layers[l].forward}}};
    list.push_back({MemoryKind::activations, Content::weightless, flow.layers[l].processor, l,
                    bytes, between(there, {flow.ends(l)})});
  }
  for (contract::TensorId id = 0; id < flow.carried.size(); ++id) {
    if (flow.carried[id] != Carried::weightless) continue;
    const contract::Tensor& tensor = flow.schedule.tensors[id];
    const Moment arrival{{{StepKind::tensor_arrived, id}}};
    list.push_back({MemoryKind::activations, Content::weightless, tensor.destination, tensor.layer,
                    tensor.bytes, between(arrival, {flow.ends_of_users(id)})});
  }
  for (std::size_t l = 0; l < flow.layers.size(); ++l) {
    add_unsent(flow, flow.sent(l, Carried::weightless), 0, {flow.ends(l)}, list);
  }
}

}  // namespace

void add_values(const Flow& flow, const costs::Profile& profile, std::vector<Holding>& list) {
  std::vector<Copies> copies(profile.values.size());
  for (std::size_t v = 0; v < copies.size(); ++v) {
    const costs::Value& value = profile.values[v];
    const LayerExecution& own = flow.layers[value.layer];
    copies[v][own.processor] = {
        value.layer, Step{StepKind::operation_ended, own.forward}, {}, {}, {}};
    add_uses(flow, value.uses, copies[v]);
    if (value.shows_signs) add_own_backward(flow, value.layer, copies[v]);
  }
  for (contract::TensorId id = 0; id < flow.carried.size(); ++id) {
    if (flow.carried[id] != Carried::activation) continue;
    const contract::Tensor& tensor = flow.schedule.tensors[id];
    const Step arrival{StepKind::tensor_arrived, id};
    copies[tensor.value][tensor.destination].there = arrival;
    copies[tensor.value][tensor.source].arrivals.push_back(arrival);
  }
  for (std::size_t v = 0; v < copies.size(); ++v) {
    add_copies(copies[v], profile.values[v].activation_bytes, list);
  }
  for (const costs::NetworkInput& input : profile.network_inputs) {
    Copies of_input;
    add_uses(flow, input.uses, of_input);
    add_copies(of_input, input.bytes, list);
  }
  add_weightless(flow, profile, list);
}

}  // namespace layerpipe::memory
