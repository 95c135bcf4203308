#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"

namespace layerpipe::contract {

/// Where something can be had: on the processor of an operation when that has ended or, if there is
/// a tensor, at its destination when it has arrived; `op` is then one that the tensor comes from.
struct Source {
  OpId op = 0;
  TensorId tensor = Edge::no_tensor;
};

/// What a tensor carries.
struct Payload {
  TensorClass tensor_class = TensorClass::mandatory;
  std::int64_t bytes = 0;
  std::size_t layer = 0;
  std::size_t value = Tensor::no_value;
  bool is_sum = false;
};

/// Collects a schedule's operations and joins them.
class ScheduleBuilder {
 public:
  ScheduleBuilder(std::string name, const costs::Profile& profile, std::size_t stages,
                  std::size_t processors);

  /// What is added from now on is of that micro-batch, 0-based.
  void begin_micro_batch(std::size_t micro_batch);

  OpId add(Op op);

  /// `to` waits for what lies on its processor already.
  void connect(const Source& from, OpId to, InputKind input, std::int64_t tokens = 0);

  /// Takes what lies on one processor to another one, together if it is several.
  Source send(const std::vector<Source>& from, costs::ProcessorId destination,
              const Payload& payload);

  /// What lies on one processor, together there; a single source as it is. The class is local.
  Source join(const std::vector<Source>& of, Payload payload);

  void set_order(costs::ProcessorId processor, Order order);
  void set_split(costs::Split split) { schedule_.split = split; }
  void set_first_layers(std::vector<std::size_t> of_stages) {
    schedule_.first_layers = std::move(of_stages);
  }
  /// The minibatch has not ended before `op` has.
  void add_update(OpId op);

  [[nodiscard]] const Op& op(OpId id) const { return schedule_.ops[id]; }
  [[nodiscard]] costs::ProcessorId processor(const Source& source) const;
  [[nodiscard]] Schedule build() && { return std::move(schedule_); }

 private:
  Schedule schedule_;
  std::size_t micro_batch_ = 0;
};

}  // namespace layerpipe::contract
