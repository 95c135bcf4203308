#include "scheduler/schedule_builder.hpp"

#include <utility>

namespace layerpipe::scheduler {

ScheduleBuilder::ScheduleBuilder(std::string name, const Profile& profile, std::size_t stages,
                                 std::size_t processors) {
  schedule_.name = std::move(name);
  schedule_.stages = stages;
  for (const LayerProfile& layer : profile.layers) schedule_.layer_names.push_back(layer.name);
  schedule_.orders.assign(processors, StaticOrder{});
}

OpId ScheduleBuilder::add(Op op) {
  schedule_.ops.push_back(std::move(op));
  return schedule_.ops.size() - 1;
}

void ScheduleBuilder::connect(OpId from, OpId to, const Payload& payload, std::int64_t tokens) {
  const ProcessorId destination = op(to).processor;
  Edge edge{from, to, tokens, payload.input, Edge::no_tensor};
  if (op(from).processor != destination) edge.tensor = tensor(from, destination, payload);
  schedule_.edges.push_back(edge);
}

void ScheduleBuilder::set_order(ProcessorId processor, Order order) {
  schedule_.orders[processor] = std::move(order);
}

void ScheduleBuilder::add_update(OpId op) { schedule_.updates.push_back(op); }

TensorId ScheduleBuilder::tensor(OpId from, ProcessorId destination, const Payload& payload) {
  const auto [entry, is_new] = tensors_.try_emplace(
      TensorKey{from, destination, payload.input, payload.layer}, schedule_.tensors.size());
  if (is_new) {
    schedule_.tensors.push_back({{from},
                                 op(from).processor,
                                 destination,
                                 payload.bytes,
                                 payload.tensor_class,
                                 payload.layer});
  }
  return entry->second;
}

}  // namespace layerpipe::scheduler
