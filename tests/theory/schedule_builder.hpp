#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/theory/recurrence.hpp"

namespace layerpipe::tests {

/// Writes a schedule down in few lines.
class ScheduleBuilder {
 public:
  explicit ScheduleBuilder(std::size_t processors) {
    schedule_.name = "test";
    schedule_.orders.resize(processors);
  }

  /// The forward pass of a layer of its own, named after its number: "0", "1", ...
  contract::OpId op(costs::ProcessorId processor, std::int64_t cycles) {
    const contract::OpId id = schedule_.ops.size();
    schedule_.ops.push_back({{{costs::OpKind::forward, id, 1.0, cycles}}, processor});
    schedule_.layer_names.push_back(std::to_string(id));
    return id;
  }

  /// An edge on one processor.
  void edge(contract::OpId from, contract::OpId to, std::int64_t tokens = 0) {
    schedule_.edges.push_back({from, to, tokens});
  }

  /// A mandatory tensor of layer 0 and the edge from its first producer to `to`. Transfers take a
  /// cycle per byte in `cycle_per_byte`.
  contract::TensorId tensor(std::vector<contract::OpId> producers, contract::OpId to,
                            std::int64_t bytes, std::int64_t tokens = 0) {
    contract::Tensor tensor;
    tensor.bytes = bytes;
    tensor.source = schedule_.ops[producers.front()].processor;
    tensor.destination = schedule_.ops[to].processor;
    tensor.producers = std::move(producers);
    schedule_.tensors.push_back(std::move(tensor));
    const contract::TensorId id = schedule_.tensors.size() - 1;
    wait(id, to, tokens);
    return id;
  }

  /// One more edge that waits for a tensor.
  void wait(contract::TensorId id, contract::OpId to, std::int64_t tokens = 0) {
    const contract::OpId from = schedule_.tensors[id].producers.front();
    schedule_.edges.push_back({from, to, tokens, contract::InputKind::activation, id});
  }

  void static_order(costs::ProcessorId processor,
                    std::vector<contract::StaticOrder::Entry> entries) {
    schedule_.orders[processor] = contract::StaticOrder{std::move(entries)};
  }

  void priority_order(costs::ProcessorId processor,
                      std::vector<contract::PriorityOrder::Entry> entries) {
    schedule_.orders[processor] = contract::PriorityOrder{std::move(entries)};
  }

  /// To add to it, and to use.
  contract::Schedule& schedule() { return schedule_; }

 private:
  contract::Schedule schedule_;
};

/// Refers to `schedule`.
inline theory::TransferCycles cycle_per_byte(const contract::Schedule& schedule) {
  return [&schedule](contract::TensorId id) { return schedule.tensors[id].bytes; };
}

}  // namespace layerpipe::tests
