#include "sim/metrics/steady_state.hpp"

#include <algorithm>
#include <optional>

namespace layerpipe::sim {

namespace {

/// The middle half of n minibatches: those from n / 4 on and before `end`.
std::int64_t middle_begin(std::int64_t minibatches) { return minibatches / 4; }
std::int64_t middle_end(std::int64_t minibatches) {
  return std::max(middle_begin(minibatches) + 1, 3 * minibatches / 4);
}

/// True if the last `length` differences repeat every `period`.
bool repeats(const std::vector<std::int64_t>& differences, std::size_t length, std::size_t period) {
  return std::equal(differences.end() - static_cast<std::ptrdiff_t>(length - period),
                    differences.end(), differences.end() - static_cast<std::ptrdiff_t>(length));
}

std::optional<std::size_t> smallest_period(const std::vector<std::int64_t>& differences) {
  for (std::size_t period = 1; 2 * period <= differences.size(); ++period) {
    const std::size_t length = std::max(2 * period, differences.size() / 4);
    if (repeats(differences, length, period)) return period;
  }
  return std::nullopt;
}

}  // namespace

SteadyStateDetector::SteadyStateDetector(const scheduler::Schedule& schedule,
                                         std::int64_t minibatches)
    : minibatches_(minibatches),
      is_first_forward_(schedule.ops.size(), false),
      is_update_(schedule.ops.size(), false),
      updates_done_(schedule.ops.size(), 0),
      updates_(schedule.updates),
      updates_missing_(schedule.updates.size()) {
  for (const scheduler::OpId op : updates_) is_update_[op] = true;
  for (scheduler::OpId op = 0; op < schedule.ops.size(); ++op) {
    const auto& parts = schedule.ops[op].parts;
    is_first_forward_[op] = std::any_of(parts.begin(), parts.end(), [](const auto& part) {
      return part.kind == scheduler::OpKind::forward && part.layer == 0;
    });
  }
}

void SteadyStateDetector::record(const Event& event) {
  if (event.kind != EventKind::operation_ended) return;
  if (is_first_forward_[event.id]) drain_date_ = event.date;
  if (is_update_[event.id]) end_update(event.id, event.date);
}

void SteadyStateDetector::end_update(scheduler::OpId op, std::int64_t date) {
  if (updates_done_[op]++ != ended_) return;
  --updates_missing_;
  while (updates_missing_ == 0) {
    end_minibatch(date);
    updates_missing_ = static_cast<std::size_t>(
        std::count_if(updates_.begin(), updates_.end(),
                      [&](scheduler::OpId update) { return updates_done_[update] <= ended_; }));
  }
}

void SteadyStateDetector::end_minibatch(std::int64_t date) {
  const auto slot = static_cast<std::size_t>(ended_) % window;
  if (slot == ends_.size()) {
    ends_.push_back(date);
  } else {
    ends_[slot] = date;
  }
  ++ended_;
  if (ended_ == middle_begin(minibatches_)) middle_begin_date_ = date;
  if (ended_ == middle_end(minibatches_)) middle_end_date_ = date;
}

std::vector<std::int64_t> SteadyStateDetector::steady_ends() const {
  std::vector<std::int64_t> ends;
  const std::int64_t kept = static_cast<std::int64_t>(ends_.size());
  for (std::int64_t m = ended_ - kept; m < ended_; ++m) {
    const std::int64_t date = ends_[static_cast<std::size_t>(m) % window];
    if (date > drain_date_) break;
    ends.push_back(date);
  }
  return ends;
}

Period SteadyStateDetector::period() const {
  const std::vector<std::int64_t> ends = steady_ends();
  std::vector<std::int64_t> differences;
  for (std::size_t i = 1; i < ends.size(); ++i) differences.push_back(ends[i] - ends[i - 1]);
  const std::optional<std::size_t> k = smallest_period(differences);
  if (!k) return mean_period();
  std::size_t first = differences.size() - *k;
  while (first > 0 && differences[first - 1] == differences[first - 1 + *k]) --first;
  const std::int64_t oldest_kept = ended_ - static_cast<std::int64_t>(ends_.size());
  return {true,
          static_cast<double>(ends.back() - ends[ends.size() - 1 - *k]) / static_cast<double>(*k),
          static_cast<std::int64_t>(*k), oldest_kept + static_cast<std::int64_t>(first)};
}

Period SteadyStateDetector::mean_period() const {
  const std::int64_t begin = middle_begin(minibatches_);
  const std::int64_t end = middle_end(minibatches_);
  return {
      false,
      static_cast<double>(middle_end_date_ - middle_begin_date_) / static_cast<double>(end - begin),
      0, begin};
}

}  // namespace layerpipe::sim
