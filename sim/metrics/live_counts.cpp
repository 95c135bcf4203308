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
    happened_[place(kind)].lifetimes.resize(size);
  }
  for (std::size_t i = 0; i < lifetimes_.size(); ++i) {
    for (const Moment* moment : {&lifetimes_[i].from, &lifetimes_[i].to}) {
      for (const Step& step : moment->steps) {
        std::vector<std::size_t>& affected = happened_[place(step.kind)].lifetimes[step.id];
        if (affected.empty() || affected.back() != i) affected.push_back(i);
      }
    }
    counts_.push_back(alive(lifetimes_[i]));
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
  ++happened.counts[event.id];
  for (const std::size_t i : happened.lifetimes[event.id]) {
    const std::int64_t now = alive(lifetimes_[i]);
    if (now == counts_[i]) continue;
    changes_.push_back({i, now - counts_[i]});
    counts_[i] = now;
    changed_.push_back(i);
  }
}

std::int64_t LiveCounts::most(std::size_t lifetime) const {
  return std::max(most_[lifetime], counts_[lifetime]);
}

std::int64_t LiveCounts::instances(const Moment& moment) const {
  if (moment.steps.empty()) return 0;
  const auto count = [this](const Step& step) {
    return happened_[place(step.kind)].counts[step.id] - step.lag;
  };
  std::int64_t instances = count(moment.steps.front());
  for (const Step& step : moment.steps) {
    instances =
        moment.is_first ? std::max(instances, count(step)) : std::min(instances, count(step));
  }
  return std::max<std::int64_t>(0, instances);
}

std::int64_t LiveCounts::alive(const Lifetime& lifetime) const {
  return std::max<std::int64_t>(0, instances(lifetime.from) - instances(lifetime.to));
}

}  // namespace layerpipe::metrics
