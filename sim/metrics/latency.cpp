#include "sim/metrics/latency.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace layerpipe::metrics {

namespace {

Latencies single(std::int64_t cycles) { return {static_cast<double>(cycles), cycles, cycles}; }

Latency summary(const Latencies& all, std::int64_t minibatches) {
  return {all.sum_cycles / static_cast<double>(minibatches), all.least_cycles, all.most_cycles};
}

/// Of `count` batches from `first` on, or as many as there are; see LatencyAccount::growth.
std::optional<LatencyGrowth> growth_of(const Batches<Latencies>& all, std::size_t first,
                                       std::size_t count) {
  constexpr std::size_t fewest = 16;
  constexpr double least_growth = 0.01;
  const std::vector<Latencies> batches = all.of_size(all.size());
  count = std::min(count, batches.size() - std::min(first, batches.size()));
  const std::size_t in_part = std::max<std::size_t>(count / fewest, 1);
  const std::size_t parts = count / in_part;
  if (parts < fewest) return std::nullopt;
  const auto minibatches = static_cast<double>(in_part) * static_cast<double>(all.size());
  std::vector<double> means(parts, 0.0);
  for (std::size_t i = 0; i < parts * in_part; ++i) {
    means[i / in_part] += batches[first + i].sum_cycles / minibatches;
  }
  if (std::ranges::adjacent_find(means, std::greater_equal<>()) != means.end()) return std::nullopt;
  const double middle = means[parts / 2];
  const bool levels_off = means.back() - middle < (middle - means.front()) / 2.0;
  if (levels_off || means.back() < means.front() * (1.0 + least_growth)) return std::nullopt;
  return LatencyGrowth{means.front(), means.back()};
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
  const bool is_in_middle_half = minibatch >= middle_half_.begin && minibatch < middle_half_.end;
  if (is_in_middle_half) batches_of_middle_half_.add(single(cycles));
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
LatencyAccount::OfMean LatencyAccount::of_batches(const Period& period) const {
  const std::vector<Latencies> batches = batches_.of_size(batches_.size());
  const auto place = [&](std::int64_t minibatch) {
    return static_cast<std::size_t>(minibatch / batches_.size());
  };
  const std::size_t first = place(period.first_minibatch);
  const std::size_t end = place(period.first_minibatch + period.mean_over);
  Latencies all = batches.at(first);
  for (std::size_t i = first + 1; i < end; ++i) all += batches.at(i);
  return {summary(all, period.mean_over), growth_of(batches_, first, end - first)};
}

std::optional<Latency> LatencyAccount::latency(const Period& period) const {
  if (period.exact) return of_exact_period_;
  const OfMean of = of_mean(period);
  return of.growth ? std::nullopt : std::optional(of.latency);
}

std::optional<LatencyGrowth> LatencyAccount::growth(const Period& period) const {
  return period.exact ? std::nullopt : of_mean(period).growth;
}

LatencyAccount::OfMean LatencyAccount::of_mean(const Period& period) const {
  if (of_settled_period_) return *of_settled_period_;
  const bool is_middle_half = period.first_minibatch == middle_half_.begin &&
                              period.mean_over == middle_half_.end - middle_half_.begin;
  if (!is_middle_half) return of_batches(period);
  return {summary(of_middle_half_.value(), period.mean_over),
          growth_of(batches_of_middle_half_, 0, batches_of_middle_half_.most)};
}

}  // namespace layerpipe::metrics
