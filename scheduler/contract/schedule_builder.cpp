#include "scheduler/contract/schedule_builder.hpp"

#include <algorithm>
#include <utility>

namespace layerpipe::contract {

ScheduleBuilder::ScheduleBuilder(std::string name, const costs::Profile& profile,
                                 std::size_t stages, std::size_t processors) {
  schedule_.name = std::move(name);
  schedule_.stages = stages;
  for (const costs::LayerProfile& layer : profile.layers)
    schedule_.layer_names.push_back(layer.name);
  schedule_.orders.assign(processors, StaticOrder{});
}

void ScheduleBuilder::begin_micro_batch(std::size_t micro_batch) {
  micro_batch_ = micro_batch;
  schedule_.micro_batches = std::max(schedule_.micro_batches, micro_batch + 1);
}

OpId ScheduleBuilder::add(Op op) {
  for (OpPart& part : op.parts) part.micro_batch = micro_batch_;
  schedule_.ops.push_back(std::move(op));
  return schedule_.ops.size() - 1;
}

void ScheduleBuilder::connect(const Source& from, OpId to, InputKind input, std::int64_t tokens) {
  schedule_.edges.push_back({from.op, to, tokens, input, from.tensor});
}

Source ScheduleBuilder::send(const std::vector<Source>& from, costs::ProcessorId destination,
                             const Payload& payload) {
  Tensor tensor;
  tensor.source = processor(from.front());
  tensor.destination = destination;
  tensor.bytes = payload.bytes;
  tensor.tensor_class = payload.tensor_class;
  tensor.layer = payload.layer;
  tensor.value = payload.value;
  tensor.is_sum = payload.is_sum;
  tensor.micro_batch = micro_batch_;
  for (const Source& source : from) {
    if (source.tensor == Edge::no_tensor) {
      tensor.producers.push_back(source.op);
    } else {
      tensor.parts.push_back(source.tensor);
    }
  }
  const OpId origin = tensor.producers.empty() ? from.front().op : tensor.producers.front();
  schedule_.tensors.push_back(std::move(tensor));
  return {origin, schedule_.tensors.size() - 1};
}

Source ScheduleBuilder::join(const std::vector<Source>& of, Payload payload) {
  if (of.size() == 1) return of.front();
  payload.tensor_class = TensorClass::local;
  return send(of, processor(of.front()), payload);
}

void ScheduleBuilder::set_order(costs::ProcessorId processor, Order order) {
  schedule_.orders[processor] = std::move(order);
}

void ScheduleBuilder::add_update(OpId op) { schedule_.updates.push_back(op); }

costs::ProcessorId ScheduleBuilder::processor(const Source& source) const {
  return source.tensor == Edge::no_tensor ? schedule_.ops[source.op].processor
                                          : schedule_.tensors[source.tensor].destination;
}

}  // namespace layerpipe::contract
