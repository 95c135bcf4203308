#pragma once

#include <map>
#include <tuple>

#include "scheduler/profile.hpp"
#include "scheduler/schedule.hpp"

namespace layerpipe::scheduler {

/// What one operation hands to another.
struct Payload {
  InputKind input = InputKind::activation;
  TensorClass tensor_class = TensorClass::mandatory;
  std::int64_t bytes = 0;
  std::size_t layer = 0;
};

/// Collects a schedule's operations and joins them. Between two processors an edge gets a tensor,
/// the same one for all that the same operation sends of the same kind to the same processor.
class ScheduleBuilder {
 public:
  ScheduleBuilder(std::string name, const Profile& profile, std::size_t stages,
                  std::size_t processors);

  OpId add(Op op);
  void connect(OpId from, OpId to, const Payload& payload, std::int64_t tokens = 0);
  void set_order(ProcessorId processor, Order order);
  void set_split(Split split) { schedule_.split = split; }
  /// The minibatch has not ended before `op` has.
  void add_update(OpId op);

  [[nodiscard]] const Op& op(OpId id) const { return schedule_.ops[id]; }
  [[nodiscard]] Schedule build() && { return std::move(schedule_); }

 private:
  using TensorKey = std::tuple<OpId, ProcessorId, InputKind, std::size_t>;

  TensorId tensor(OpId from, ProcessorId destination, const Payload& payload);

  Schedule schedule_;
  std::map<TensorKey, TensorId> tensors_;
};

}  // namespace layerpipe::scheduler
