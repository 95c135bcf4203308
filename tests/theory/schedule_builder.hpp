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
  scheduler::OpId op(scheduler::ProcessorId processor, std::int64_t cycles) {
    const scheduler::OpId id = schedule_.ops.size();
    schedule_.ops.push_back({{{scheduler::OpKind::forward, id, 1.0, cycles}}, processor});
    schedule_.layer_names.push_back(std::to_string(id));
    return id;
  }

  /// An edge on one processor.
  void edge(scheduler::OpId from, scheduler::OpId to, std::int64_t tokens = 0) {
    schedule_.edges.push_back({from, to, tokens});
  }

  /// A mandatory tensor of layer 0 and the edge from its first producer to `to`. Transfers take a
  /// cycle per byte in `cycle_per_byte`.
  scheduler::TensorId tensor(std::vector<scheduler::OpId> producers, scheduler::OpId to,
                             std::int64_t bytes, std::int64_t tokens = 0) {
    scheduler::Tensor tensor;
    tensor.bytes = bytes;
    tensor.source = schedule_.ops[producers.front()].processor;
    tensor.destination = schedule_.ops[to].processor;
    tensor.producers = std::move(producers);
    schedule_.tensors.push_back(std::move(tensor));
    const scheduler::TensorId id = schedule_.tensors.size() - 1;
    wait(id, to, tokens);
    return id;
  }

  /// One more edge that waits for a tensor.
  void wait(scheduler::TensorId id, scheduler::OpId to, std::int64_t tokens = 0) {
    const scheduler::OpId from = schedule_.tensors[id].producers.front();
    schedule_.edges.push_back({from, to, tokens, scheduler::InputKind::activation, id});
  }

  void static_order(scheduler::ProcessorId processor,
                    std::vector<scheduler::StaticOrder::Entry> entries) {
    schedule_.orders[processor] = scheduler::StaticOrder{std::move(entries)};
  }

  void priority_order(scheduler::ProcessorId processor,
                      std::vector<scheduler::PriorityOrder::Entry> entries) {
    schedule_.orders[processor] = scheduler::PriorityOrder{std::move(entries)};
  }

  /// To add to it, and to use.
  scheduler::Schedule& schedule() { return schedule_; }

 private:
  scheduler::Schedule schedule_;
};

/// Refers to `schedule`.
inline scheduler::TransferCycles cycle_per_byte(const scheduler::Schedule& schedule) {
  return [&schedule](scheduler::TensorId id) { return schedule.tensors[id].bytes; };
}

}  // namespace layerpipe::tests
