#include "sim/metrics/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace layerpipe::metrics {

namespace {

/// [op]: the most minibatches that any tensor which comes from it is ahead of its first user, at
/// most `limit`.
std::vector<std::int64_t> tokens_of_origins(const contract::Schedule& schedule,
                                            std::int64_t limit) {
  const std::vector<std::int64_t> of_tensors = contract::least_tokens(schedule, limit);
  std::vector<std::int64_t> tokens(schedule.ops.size(), 0);
  for (contract::TensorId t = 0; t < of_tensors.size(); ++t) {
    for (const contract::OpId op : contract::origins(schedule, t)) {
      tokens[op] = std::max(tokens[op], of_tensors[t]);
    }
  }
  return tokens;
}

/// Of a sequence of numbers, 64 bits.
class Hash {
 public:
  void add(std::int64_t value) {
    value_ = (value_ ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15U;
    value_ ^= value_ >> 32U;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

/// A mean, with what it may be off.
Period mean_period(const Pace& pace) {
  return {false,
          pace.cycles_per_minibatch,
          0,
          pace.first_minibatch,
          pace.minibatches,
          pace.relative_error_bound};
}

}  // namespace

SteadyStateDetector::SteadyStateDetector(const contract::Schedule& schedule,
                                         std::int64_t minibatches,
                                         const SteadyStateOptions& options)
    : total_(minibatches),
      tolerance_(options.tolerance),
      middle_half_(middle_half(minibatches)),
      minibatches_(schedule),
      ops_(schedule.ops.size()),
      tensors_(schedule.tensors.size()),
      queued_(schedule.tensors.size()),
      tokens_(tokens_of_origins(schedule, minibatches)),
      pace_(schedule, options.least_cycles) {}

void SteadyStateDetector::record(const events::Event& event) {
  switch (event.kind) {
    case events::EventKind::operation_started:
      start(ops_[event.id], event.date);
      is_draining_ = is_draining_ || ops_[event.id].started == total_;
      break;
    case events::EventKind::operation_ended:
      ++ops_[event.id].ended;
      is_draining_ = is_draining_ || ops_[event.id].ended > total_ - tokens_[event.id];
      if (!is_draining_) pace_.operation_ended(event.id, event.date);
      break;
    case events::EventKind::transfer_queued:
      queued_[event.id].push_back(event.date);
      break;
    case events::EventKind::transfer_started:
      queued_[event.id].erase(queued_[event.id].begin());
      start(tensors_[event.id], event.date);
      break;
    case events::EventKind::transfer_ended:
      ++tensors_[event.id].ended;
      break;
    case events::EventKind::sum_completed:
      ++tensors_[event.id].started;
      ++tensors_[event.id].ended;
      break;
  }
  if (!minibatches_.record(event)) return;
  end_date_ = event.date;
  if (!is_draining_) pace_.minibatch_ended(event.date);
  if (minibatches_.ended() == middle_half_.begin) middle_begin_date_ = event.date;
  if (minibatches_.ended() == middle_half_.end) middle_end_date_ = event.date;
}

void SteadyStateDetector::start(Progress& progress, std::int64_t date) {
  ++progress.started;
  progress.start_date = date;
}

void SteadyStateDetector::date_over(std::int64_t next, const events::FlowsLeft& flows) {
  const bool has_ended = std::exchange(ends_seen_, minibatches_.ended()) < minibatches_.ended();
  if (!has_ended || is_draining_) return;
  if (!exact_) {
    look_for_repetition(state(next, flows));
    look_for_settled_mean();
  } else if (minibatches_.ended() >= found_at_ + exact_->minibatches) {
    has_passed_ = true;
  }
}

void SteadyStateDetector::look_for_repetition(std::uint64_t state) {
  const End now{minibatches_.ended() - 1, end_date_};
  const auto [same, is_new] = ends_.emplace(state, now);
  if (!is_new) {
    const End& before = same->second;
    const std::int64_t minibatches = now.minibatch - before.minibatch;
    exact_ = {
        true,        static_cast<double>(now.date - before.date) / static_cast<double>(minibatches),
        minibatches, before.minibatch,
        0,           0.0};
    found_at_ = minibatches_.ended();
    return;
  }
  states_.push_back(state);
  if (states_.size() <= window) return;
  ends_.erase(states_.front());
  states_.pop_front();
}

std::uint64_t SteadyStateDetector::state(std::int64_t next, const events::FlowsLeft& flows) const {
  constexpr double flow_steps_per_cycle = 1e4;
  Hash hash;
  const std::int64_t ended = minibatches_.ended();
  for (const std::vector<Progress>* all : {&ops_, &tensors_}) {
    for (const Progress& progress : *all) {
      hash.add(progress.started - ended);
      hash.add(progress.ended - ended);
      hash.add(progress.ended < progress.started ? end_date_ - progress.start_date : 0);
    }
  }
  for (const std::vector<std::int64_t>& dates : queued_) {
    hash.add(static_cast<std::int64_t>(dates.size()));
    for (const std::int64_t date : dates) hash.add(end_date_ - date);
  }
  for (const double cycles : flows()) hash.add(std::llround(cycles * flow_steps_per_cycle));
  hash.add(next - end_date_);
  return hash.value();
}

void SteadyStateDetector::look_for_settled_mean() {
  if (settled_ || tolerance_ == 0.0 || minibatches_.ended() < next_look_) return;
  next_look_ += next_look_ / 8;
  const std::optional<Pace> pace = pace_.pace();
  if (pace && pace->relative_error_bound && *pace->relative_error_bound <= tolerance_) {
    settled_ = mean_period(*pace);
  }
}

Period SteadyStateDetector::period() const {
  if (exact_) return *exact_;
  if (settled_) return *settled_;
  const std::optional<Pace> pace = pace_.pace();
  return pace ? mean_period(*pace) : mean_of_middle_half();
}

Period SteadyStateDetector::mean_of_middle_half() const {
  const auto& [begin, end] = middle_half_;
  return {
      false,
      static_cast<double>(middle_end_date_ - middle_begin_date_) / static_cast<double>(end - begin),
      0, begin, end - begin};
}

}  // namespace layerpipe::metrics
