#include "sim/metrics/per_minibatch.hpp"

#include <algorithm>

#include "sim/metrics/communication.hpp"

namespace layerpipe::metrics {

namespace {

std::int64_t first_complete(const contract::Schedule& schedule, std::int64_t minibatches) {
  std::int64_t first = 0;
  for (const contract::Edge& edge : schedule.edges) first = std::max(first, edge.tokens);
  return std::min(first, minibatches - 1);
}

}  // namespace

PerMinibatch::PerMinibatch(const contract::Schedule& schedule, const events::Channels& channels,
                           std::int64_t minibatches, const SteadyStateDetector& steady)
    : schedule_(schedule),
      channel_of_tensor_(channels.of_tensor),
      steady_(steady),
      first_(first_complete(schedule, minibatches)),
      operation_started_(schedule.ops.size(), 0),
      processor_busy_(schedule.orders.size(), 0),
      channel_bytes_(channels.channels.size(), 0) {}

void PerMinibatch::record(const events::Event& event) {
  switch (event.kind) {
    case events::EventKind::operation_started:
      operation_started_[event.id] = event.date;
      break;
    case events::EventKind::transfer_queued:
    case events::EventKind::transfer_started:
      break;
    case events::EventKind::operation_ended:
      if (event.minibatch >= first_) count_operation(event);
      break;
    case events::EventKind::transfer_ended:
      if (event.minibatch >= first_) count_transfer(event);
      break;
    case events::EventKind::sum_completed:
      break;
  }
}

void PerMinibatch::count_operation(const events::Event& event) {
  processor_busy_[schedule_.ops[event.id].processor] += event.date - operation_started_[event.id];
}

void PerMinibatch::count_transfer(const events::Event& event) {
  const contract::Tensor& tensor = schedule_.tensors[event.id];
  channel_bytes_[channel_of_tensor_[event.id]] += tensor.bytes;
  sum_of_class(sums_, tensor.tensor_class) += tensor.bytes;
}

std::int64_t PerMinibatch::busy_cycles(costs::ProcessorId processor) const {
  return mean(processor_busy_[processor]);
}

std::int64_t PerMinibatch::bytes(std::size_t channel) const {
  return mean(channel_bytes_[channel]);
}

Communication PerMinibatch::communication() const {
  return {mean(sums_.mandatory_bytes), mean(sums_.additional_weights_bytes),
          mean(sums_.additional_gradients_bytes)};
}

}  // namespace layerpipe::metrics
