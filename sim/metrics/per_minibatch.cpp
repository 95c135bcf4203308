#include "sim/metrics/per_minibatch.hpp"

#include <algorithm>

#include "sim/metrics/communication.hpp"

namespace layerpipe::sim {

namespace {

std::int64_t first_complete(const scheduler::Schedule& schedule, std::int64_t minibatches) {
  std::int64_t first = 0;
  for (const scheduler::Edge& edge : schedule.edges) first = std::max(first, edge.tokens);
  return std::min(first, minibatches - 1);
}

}  // namespace

PerMinibatch::PerMinibatch(const scheduler::Schedule& schedule, const Channels& channels,
                           std::int64_t minibatches, const SteadyStateDetector& steady)
    : schedule_(schedule),
      channel_of_tensor_(channels.of_tensor),
      steady_(steady),
      first_(first_complete(schedule, minibatches)),
      operation_started_(schedule.ops.size(), 0),
      transfer_started_(schedule.tensors.size(), 0),
      processor_busy_(schedule.orders.size(), 0),
      channel_busy_(channels.channels.size(), 0),
      busy_of_all_(channels.channels.size(), 0),
      channel_bytes_(channels.channels.size(), 0) {}

void PerMinibatch::record(const Event& event) {
  switch (event.kind) {
    case EventKind::operation_started:
      operation_started_[event.id] = event.date;
      break;
    case EventKind::transfer_queued:
      break;
    case EventKind::transfer_started:
      transfer_started_[event.id] = event.date;
      break;
    case EventKind::operation_ended:
      if (event.minibatch >= first_) count_operation(event);
      break;
    case EventKind::transfer_ended:
      count_transfer(event);
      break;
    case EventKind::sum_completed:
      break;
  }
}

void PerMinibatch::date_over(std::int64_t /*next*/, const FlowsLeft& /*flows*/) {
  if (busy_before_period_.empty() && steady_.exact_period()) busy_before_period_ = busy_of_all_;
  if (busy_after_period_.empty() && steady_.has_passed()) busy_after_period_ = busy_of_all_;
}

void PerMinibatch::count_operation(const Event& event) {
  processor_busy_[schedule_.ops[event.id].processor] += event.date - operation_started_[event.id];
}

void PerMinibatch::count_transfer(const Event& event) {
  const scheduler::Tensor& tensor = schedule_.tensors[event.id];
  const std::size_t channel = channel_of_tensor_[event.id];
  const std::int64_t cycles = event.date - transfer_started_[event.id];
  busy_of_all_[channel] += cycles;
  if (event.minibatch < first_) return;
  channel_bytes_[channel] += tensor.bytes;
  channel_busy_[channel] += cycles;
  sum_of_class(sums_, tensor.tensor_class) += tensor.bytes;
}

std::int64_t PerMinibatch::busy_cycles(scheduler::ProcessorId processor) const {
  return mean(processor_busy_[processor]);
}

PerMinibatch::ChannelUse PerMinibatch::channel(std::size_t channel) const {
  std::int64_t busy = channel_busy_[channel];
  std::int64_t minibatches = counted_;
  if (steady_.has_passed()) {
    busy = busy_after_period_[channel] - busy_before_period_[channel];
    minibatches = steady_.exact_period()->minibatches;
  }
  return {mean(channel_bytes_[channel]),
          static_cast<double>(busy) / static_cast<double>(minibatches)};
}

Communication PerMinibatch::communication() const {
  return {mean(sums_.mandatory_bytes), mean(sums_.additional_weights_bytes),
          mean(sums_.additional_gradients_bytes)};
}

}  // namespace layerpipe::sim
