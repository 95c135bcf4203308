#include "sim/metrics/live_counts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace layerpipe::metrics {

namespace {

using memory::Lifetime;
using memory::Moment;
using memory::Step;
using memory::StepKind;

std::optional<StepKind> step_kind(events::EventKind kind) {
  switch (kind) {
    case events::EventKind::operation_started:
      return StepKind::operation_started;
    case events::EventKind::operation_ended:
      return StepKind::operation_ended;
    case events::EventKind::transfer_ended:
    case events::EventKind::sum_completed:
      return StepKind::tensor_arrived;
    case events::EventKind::transfer_queued:
    case events::EventKind::transfer_started:
      break;
  }
  return std::nullopt;
}

std::size_t place(StepKind kind) { return static_cast<std::size_t>(kind); }

}  // namespace

LiveCounts::LiveCounts(const contract::Schedule& schedule, std::vector<Lifetime> lifetimes)
    : lifetimes_(std::move(lifetimes)) {
  for (const StepKind kind :
       {StepKind::operation_started, StepKind::operation_ended, StepKind::tensor_arrived}) {
    const std::size_t size =
        kind == StepKind::tensor_arrived ? schedule.tensors.size() : schedule.ops.size();
    happened_[place(kind)].counts.assign(size, 0);
    happened_[place(kind)].places.resize(size);
  }
  for (std::size_t i = 0; i < lifetimes_.size(); ++i) {
    add_moment(i, false);
    add_moment(i, true);
    counts_.push_back(alive(i));
  }
  most_ = counts_;
}

void LiveCounts::record(const events::Event& event) {
  if (event.date != date_) {
    for (const std::size_t i : changed_) most_[i] = most(i);
    changed_.clear();
    date_ = event.date;
  }
  changes_.clear();
  const std::optional<StepKind> kind = step_kind(event.kind);
  if (!kind) return;
  Happened& happened = happened_[place(*kind)];
  const std::int64_t count = ++happened.counts[event.id];
  for (const Place& at : happened.places[event.id]) {
    step_further(at, count - at.lag);
    const std::int64_t now = alive(at.lifetime);
    if (now == counts_[at.lifetime]) continue;
    changes_.push_back({at.lifetime, now - counts_[at.lifetime]});
    counts_[at.lifetime] = now;
    changed_.push_back(at.lifetime);
  }
}

std::int64_t LiveCounts::most(std::size_t lifetime) const {
  return std::max(most_[lifetime], counts_[lifetime]);
}

void LiveCounts::add_moment(std::size_t lifetime, bool is_end) {
  for (const Step& step : moment(lifetime, is_end).steps) {
    happened_[place(step.kind)].places[step.id].push_back({lifetime, is_end, step.lag});
  }
  met_.at(is_end ? 1 : 0).push_back(met(moment(lifetime, is_end)));
}

std::int64_t LiveCounts::count(const Step& step) const {
  return happened_[place(step.kind)].counts[step.id] - step.lag;
}

LiveCounts::Met LiveCounts::met(const Moment& moment) const {
  if (moment.steps.empty()) return {};
  Met met{count(moment.steps.front()), 0};
  for (const Step& step : moment.steps) {
    const std::int64_t instances = count(step);
    met.instances =
        moment.is_first ? std::max(met.instances, instances) : std::min(met.instances, instances);
  }
  met.behind = static_cast<std::size_t>(std::ranges::count_if(
      moment.steps, [&](const Step& step) { return count(step) == met.instances; }));
  return met;
}

/// One step has been met by so many instances, one more than before.
void LiveCounts::step_further(const Place& at, std::int64_t instances) {
  Met& met = met_.at(at.is_end ? 1 : 0)[at.lifetime];
  const Moment& of = moment(at.lifetime, at.is_end);
  if (of.is_first) {
    met.instances = std::max(met.instances, instances);
  } else if (instances - 1 == met.instances && --met.behind == 0) {
    met = this->met(of);
  }
}

std::int64_t LiveCounts::alive(std::size_t lifetime) const {
  const auto instances = [&](std::size_t end) {
    return std::max<std::int64_t>(0, met_.at(end)[lifetime].instances);
  };
  return std::max<std::int64_t>(0, instances(0) - instances(1));
}

}  // namespace layerpipe::metrics
