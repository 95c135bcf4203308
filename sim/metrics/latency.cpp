#include "sim/metrics/latency.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace layerpipe::metrics {

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

LatencyAccount::LatencyAccount(const contract::Schedule& schedule, std::int64_t minibatches,
                               const SteadyStateDetector& steady)
    : steady_(steady), minibatches_(schedule), middle_half_(middle_half(minibatches)) {}

void LatencyAccount::record(const events::Event& event) {
  if (event.kind == events::EventKind::operation_started && event.minibatch == begun_) {
    starts_.push_back(event.date);
    ++begun_;
  }
  if (!minibatches_.record(event)) return;
  count(event.date - starts_.front());
  starts_.pop_front();
}

void LatencyAccount::count(std::int64_t cycles) {
  if (!steady_.is_draining()) {
    batches_.add(single(cycles));
    if (!of_exact_period_) latest_.push_back(cycles);
    if (latest_.size() > 2 * SteadyStateDetector::window) latest_.pop_front();
  }
  const std::int64_t minibatch = minibatches_.ended() - 1;
  if (minibatch == middle_half_.begin) {
    of_middle_half_ = single(cycles);
  } else if (minibatch > middle_half_.begin && minibatch < middle_half_.end) {
    *of_middle_half_ += single(cycles);
  }
}

void LatencyAccount::note_progress() {
  const std::int64_t ended = minibatches_.ended();
  if (steady_.exact_period() || (!progress_.empty() && progress_.back().ended == ended)) return;
  progress_.push_back({ended, begun_});
  if (progress_.size() > SteadyStateDetector::window + 1) progress_.pop_front();
}

void LatencyAccount::date_over(std::int64_t /*next*/, const events::FlowsLeft& /*flows*/) {
  note_progress();
  if (!of_exact_period_ && steady_.exact_period()) of_exact_period_ = of_rhythm();
  if (!of_settled_period_ && steady_.settled_period()) {
    of_settled_period_ = of_batches(*steady_.settled_period());
  }
}

/// The state at an end decides when minibatches end that begin later, but not when those began that
/// are in flight.
std::optional<Latency> LatencyAccount::of_rhythm() const {
  const Period& period = *steady_.exact_period();
  const auto start = std::ranges::find(progress_, period.first_minibatch + 1, &Progress::ended);
  const std::int64_t last_counted = minibatches_.ended();
  if (steady_.is_draining() || start->begun + period.minibatches > last_counted) {
    return std::nullopt;
  }
  const std::int64_t first_kept = last_counted - std::ssize(latest_);
  const auto first = latest_.begin() + (start->begun - first_kept);
  Latencies all = single(*first);
  for (auto i = first + 1; i != first + period.minibatches; ++i) all += single(*i);
  return summary(all, period.minibatches);
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

std::optional<Latency> LatencyAccount::latency(const Period& period) const {
  if (period.exact) return of_exact_period_;
  if (of_settled_period_) return *of_settled_period_;
  const bool is_middle_half = period.first_minibatch == middle_half_.begin &&
                              period.mean_over == middle_half_.end - middle_half_.begin;
  return is_middle_half ? summary(of_middle_half_.value(), period.mean_over) : of_batches(period);
}

}  // namespace layerpipe::metrics
