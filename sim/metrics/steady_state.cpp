#include "sim/metrics/steady_state.hpp"

#include <algorithm>
#include <optional>

namespace layerpipe::sim {

namespace {

/// What one minibatch adds to the rhythm.
struct Beat {
  std::int64_t cycles = 0;  ///< since the minibatch before
  std::uint64_t state = 0;

  friend bool operator==(const Beat&, const Beat&) = default;
};

/// True if the last `length` beats repeat every `period`.
bool repeats(const std::vector<Beat>& beats, std::size_t length, std::size_t period) {
  return std::equal(beats.end() - static_cast<std::ptrdiff_t>(length - period), beats.end(),
                    beats.end() - static_cast<std::ptrdiff_t>(length));
}

std::optional<std::size_t> smallest_period(const std::vector<Beat>& beats) {
  for (std::size_t period = 1; 2 * period <= beats.size(); ++period) {
    const std::size_t length = std::max(2 * period, beats.size() / 4);
    if (repeats(beats, length, period)) return period;
  }
  return std::nullopt;
}

}  // namespace

SteadyStateDetector::SteadyStateDetector(const scheduler::Schedule& schedule,
                                         std::int64_t minibatches)
    : middle_half_(middle_half(minibatches)),
      minibatches_(schedule),
      ops_(schedule.ops.size()),
      tensors_(schedule.tensors.size()),
      is_first_forward_(schedule.ops.size(), false) {
  for (scheduler::OpId op = 0; op < schedule.ops.size(); ++op) {
    const auto& parts = schedule.ops[op].parts;
    is_first_forward_[op] = std::any_of(parts.begin(), parts.end(), [](const auto& part) {
      return part.kind == scheduler::OpKind::forward && part.layer == 0;
    });
  }
}

void SteadyStateDetector::record(const Event& event) {
  switch (event.kind) {
    case EventKind::operation_started:
      start(ops_[event.id], event.date);
      break;
    case EventKind::transfer_started:
      start(tensors_[event.id], event.date);
      break;
    case EventKind::transfer_ended:
      ++tensors_[event.id].ended;
      break;
    case EventKind::sum_completed:
      break;
    case EventKind::operation_ended:
      ++ops_[event.id].ended;
      if (is_first_forward_[event.id]) drain_date_ = event.date;
      break;
  }
  if (minibatches_.record(event)) end_minibatch(event.date);
}

void SteadyStateDetector::start(Progress& progress, std::int64_t date) {
  ++progress.started;
  progress.start_date = date;
}

void SteadyStateDetector::end_minibatch(std::int64_t date) {
  const std::int64_t ended = minibatches_.ended();
  const End end{date, state(date)};
  const auto slot = static_cast<std::size_t>(ended - 1) % window;
  if (slot == ends_.size()) {
    ends_.push_back(end);
  } else {
    ends_[slot] = end;
  }
  if (ended == middle_half_.begin) middle_begin_date_ = date;
  if (ended == middle_half_.end) middle_end_date_ = date;
}

/// FNV-1a over the relative numbers.
std::uint64_t SteadyStateDetector::state(std::int64_t date) const {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&hash](std::int64_t value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x100000001b3U;
    hash ^= hash >> 32U;
  };
  const std::int64_t ended = minibatches_.ended();
  for (const std::vector<Progress>* all : {&ops_, &tensors_}) {
    for (const Progress& progress : *all) {
      add(progress.started - ended);
      add(progress.ended - ended);
      add(progress.ended < progress.started ? date - progress.start_date : 0);
    }
  }
  return hash;
}

std::vector<SteadyStateDetector::End> SteadyStateDetector::steady_ends() const {
  std::vector<End> ends;
  const auto kept = static_cast<std::int64_t>(ends_.size());
  for (std::int64_t m = minibatches_.ended() - kept; m < minibatches_.ended(); ++m) {
    const End& end = ends_[static_cast<std::size_t>(m) % window];
    if (end.date > drain_date_) break;
    ends.push_back(end);
  }
  return ends;
}

Period SteadyStateDetector::period() const {
  const std::vector<End> ends = steady_ends();
  std::vector<Beat> beats;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    beats.push_back({ends[i].date - ends[i - 1].date, ends[i].state});
  }
  const std::optional<std::size_t> k = smallest_period(beats);
  if (!k) return mean_period();
  std::size_t first = beats.size() - *k;
  while (first > 0 && beats[first - 1] == beats[first - 1 + *k]) --first;
  const std::int64_t oldest_kept = minibatches_.ended() - static_cast<std::int64_t>(ends_.size());
  const std::int64_t cycles = ends.back().date - ends[ends.size() - 1 - *k].date;
  return {true, static_cast<double>(cycles) / static_cast<double>(*k),
          static_cast<std::int64_t>(*k), oldest_kept + static_cast<std::int64_t>(first)};
}

Period SteadyStateDetector::mean_period() const {
  const auto& [begin, end] = middle_half_;
  return {
      false,
      static_cast<double>(middle_end_date_ - middle_begin_date_) / static_cast<double>(end - begin),
      0, begin};
}

}  // namespace layerpipe::sim
