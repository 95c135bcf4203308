#include "sim/metrics/latency.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace layerpipe::sim {

namespace {

Latencies single(std::int64_t cycles) { return {static_cast<double>(cycles), cycles, cycles}; }

Latency summary(const Latencies& all, std::int64_t minibatches) {
  return {all.sum_cycles / static_cast<double>(minibatches), all.least_cycles, all.most_cycles};
}

}  // namespace

Latencies& Latencies::operator+=(const Latencies& others) {
  sum_cycles += others.sum_cycles;
  least_cycles = std::min(least_cycles, others.least_cycles);
  most_cycles = std::max(most_cycles, others.most_cycles);
  return *this;
}

LatencyAccount::LatencyAccount(const scheduler::Schedule& schedule, std::int64_t minibatches,
                               const SteadyStateDetector& steady)
    : steady_(steady), minibatches_(schedule), middle_half_(middle_half(minibatches)) {}

void LatencyAccount::record(const Event& event) {
  if (event.kind == EventKind::operation_started && event.minibatch == begun_) {
    starts_.push_back(event.date);
    ++begun_;
  }
  if (!minibatches_.record(event)) return;
  count(event.date - starts_.front());
  starts_.pop_front();
}

void LatencyAccount::count(std::int64_t cycles) {
  if (!steady_.is_draining()) batches_.add(single(cycles));
  const std::int64_t minibatch = minibatches_.ended() - 1;
  if (minibatch == middle_half_.begin) {
    of_middle_half_ = single(cycles);
  } else if (minibatch > middle_half_.begin && minibatch < middle_half_.end) {
    *of_middle_half_ += single(cycles);
  }
  if (of_exact_period_) return;
  latest_.push_back(cycles);
  if (latest_.size() > SteadyStateDetector::window) latest_.pop_front();
}

void LatencyAccount::date_over(std::int64_t /*next*/, const FlowsLeft& /*flows*/) {
  if (!of_exact_period_ && steady_.exact_period()) of_exact_period_ = of_latest();
  if (!of_settled_period_ && steady_.settled_period()) {
    of_settled_period_ = of_batches(*steady_.settled_period());
  }
}

Latency LatencyAccount::of_latest() const {
  const std::int64_t minibatches =
      std::min(steady_.exact_period()->minibatches, static_cast<std::int64_t>(latest_.size()));
  Latencies all = single(latest_.back());
  for (auto i = latest_.end() - minibatches; i != latest_.end() - 1; ++i) all += single(*i);
  return summary(all, minibatches);
}

/// The mean's own batches are as large as these, or larger.
Latency LatencyAccount::of_batches(const Period& period) const {
  const std::vector<Latencies> batches = batches_.of_size(batches_.size());
  const auto place = [&](std::int64_t minibatch) {
    return static_cast<std::size_t>(minibatch / batches_.size());
  };
  const std::size_t first = place(period.first_minibatch);
  Latencies all = batches.at(first);
  for (std::size_t i = first + 1; i < place(period.first_minibatch + period.mean_over); ++i) {
    all += batches.at(i);
  }
  return summary(all, period.mean_over);
}

Latency LatencyAccount::latency(const Period& period) const {
  if (period.exact) return of_exact_period_.value();
  if (of_settled_period_) return *of_settled_period_;
  const bool is_middle_half = period.first_minibatch == middle_half_.begin &&
                              period.mean_over == middle_half_.end - middle_half_.begin;
  return is_middle_half ? summary(of_middle_half_.value(), period.mean_over) : of_batches(period);
}

}  // namespace layerpipe::sim
