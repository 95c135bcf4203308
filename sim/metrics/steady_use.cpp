#include "sim/metrics/steady_use.hpp"

#include <fmt/format.h>

#include "workloads/base/error.hpp"

namespace layerpipe::metrics {

namespace {

std::vector<std::int64_t> difference(std::vector<std::int64_t> later,
                                     const std::vector<std::int64_t>& earlier) {
  for (std::size_t i = 0; i < later.size(); ++i) later[i] -= earlier[i];
  return later;
}

}  // namespace

SteadyUse::SteadyUse(const contract::Schedule& schedule, const events::Channels& channels,
                     const SteadyStateDetector& steady)
    : schedule_(schedule),
      channel_of_tensor_(channels.of_tensor),
      steady_(steady),
      operation_started_(schedule.ops.size(), 0),
      transfer_started_(schedule.tensors.size(), 0) {
  run_.processor_cycles.assign(schedule.orders.size(), 0);
  run_.channel_cycles.assign(channels.channels.size(), 0);
  run_.channel_bytes.assign(channels.channels.size(), 0);
}

void SteadyUse::record(const events::Event& event) {
  switch (event.kind) {
    case events::EventKind::operation_started:
      operation_started_[event.id] = event.date;
      break;
    case events::EventKind::operation_ended:
      run_.processor_cycles[schedule_.ops[event.id].processor] +=
          event.date - operation_started_[event.id];
      break;
    case events::EventKind::transfer_started:
      transfer_started_[event.id] = event.date;
      break;
    case events::EventKind::transfer_ended: {
      const std::size_t channel = channel_of_tensor_[event.id];
      run_.channel_cycles[channel] += event.date - transfer_started_[event.id];
      run_.channel_bytes[channel] += schedule_.tensors[event.id].bytes;
      break;
    }
    case events::EventKind::transfer_queued:
    case events::EventKind::sum_completed:
      break;
  }
}

void SteadyUse::date_over(std::int64_t /*next*/, const events::FlowsLeft& /*flows*/) {
  if (!before_period_ && steady_.exact_period()) before_period_ = run_;
  if (!after_period_ && steady_.has_passed()) after_period_ = run_;
}

MeasuredUse SteadyUse::use(std::int64_t makespan) const {
  if (!after_period_) {
    MeasuredUse whole = run_;
    whole.cycles = static_cast<double>(makespan);
    return whole;
  }
  const Period& period = steady_.exact_period().value();
  return {period.cycles_per_minibatch * static_cast<double>(period.minibatches),
          difference(after_period_->processor_cycles, before_period_->processor_cycles),
          difference(after_period_->channel_cycles, before_period_->channel_cycles),
          difference(after_period_->channel_bytes, before_period_->channel_bytes)};
}

double busy_fraction(double busy, double available, const std::string& name) {
  constexpr double rounding = 1e-9;
  if (busy > available * (1.0 + rounding) + 1.0) {
    throw InternalError(
        fmt::format("{} is busy for {:.1f} of {:.1f} cycles, which is more than it "
                    "can",
                    name, busy, available));
  }
  return busy / available;
}

}  // namespace layerpipe::metrics
