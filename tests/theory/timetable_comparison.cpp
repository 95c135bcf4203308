#include "tests/theory/timetable_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace layerpipe::tests {

namespace {

using contract::TensorId;

bool is_of_operation(const events::Event& event) {
  return event.kind == events::EventKind::operation_started ||
         event.kind == events::EventKind::operation_ended;
}

std::int64_t expected_date(events::EventKind kind, const theory::Span& span) {
  switch (kind) {
    case events::EventKind::operation_started:
    case events::EventKind::transfer_started:
      return span.start;
    case events::EventKind::transfer_queued:
      return span.ready;
    case events::EventKind::operation_ended:
    case events::EventKind::transfer_ended:
    case events::EventKind::sum_completed:
      break;
  }
  return span.end;
}

std::vector<std::int64_t> least_tokens(const contract::Schedule& schedule) {
  std::vector<std::int64_t> least(schedule.tensors.size(),
                                  std::numeric_limits<std::int64_t>::max());
  for (const contract::Edge& edge : schedule.edges) {
    if (edge.tensor == contract::Edge::no_tensor) continue;
    least[edge.tensor] = std::min(least[edge.tensor], edge.tokens);
  }
  for (TensorId whole = schedule.tensors.size(); whole-- > 0;) {
    for (const TensorId part : schedule.tensors[whole].parts) {
      least[part] = std::min(least[part], least[whole]);
    }
  }
  return least;
}

}  // namespace

TimetableComparison::TimetableComparison(const contract::Schedule& schedule,
                                         const theory::Timetable& timetable)
    : schedule_(schedule), timetable_(timetable), least_tokens_(least_tokens(schedule)) {
  for (const auto& op : timetable.ops) expected_ += 2 * op.size();
  for (TensorId id = 0; id < schedule.tensors.size(); ++id) {
    const std::size_t events = is_local(id) ? 1 : 3;
    expected_ += events * timetable.transfers[id].size();
  }
}

void TimetableComparison::record(const events::Event& event) {
  ++seen_;
  const theory::Span span = expected_span(event);
  const std::int64_t date = expected_date(event.kind, span);
  if (date != event.date) difference(event, date);
  if (!is_of_operation(event) && !is_local(event.id) && span.ready != event.queued) {
    difference(event, span.ready);
  }
}

std::string TimetableComparison::differences() const {
  if (seen_ == expected_) return differences_;
  return fmt::format("{}{} events instead of {}\n", differences_, seen_, expected_);
}

theory::Span TimetableComparison::expected_span(const events::Event& event) const {
  if (is_of_operation(event)) {
    return timetable_.ops.at(event.id).at(static_cast<std::size_t>(event.minibatch));
  }
  return timetable_.transfers.at(event.id).at(producer_minibatch(event));
}

std::size_t TimetableComparison::producer_minibatch(const events::Event& event) const {
  return static_cast<std::size_t>(event.minibatch - least_tokens_[event.id]);
}

bool TimetableComparison::is_local(TensorId id) const {
  return schedule_.tensors[id].tensor_class == contract::TensorClass::local;
}

void TimetableComparison::difference(const events::Event& event, std::int64_t expected) {
  if (differences_.size() > 500) return;
  differences_ +=
      fmt::format("event {} of {} minibatch {} at {} instead of {}\n", static_cast<int>(event.kind),
                  event.id, event.minibatch, event.date, expected);
}

}  // namespace layerpipe::tests
