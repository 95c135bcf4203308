#include "sim/metrics/replay.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace layerpipe::sim {

namespace {

using scheduler::Span;

void add_events(const std::vector<std::vector<Span>>& spans, EventKind started, EventKind ended,
                std::vector<Event>& events) {
  for (std::size_t id = 0; id < spans.size(); ++id) {
    for (std::size_t m = 0; m < spans[id].size(); ++m) {
      const Span& span = spans[id][m];
      const auto minibatch = static_cast<std::int64_t>(m);
      events.push_back({started, span.start, id, minibatch, span.ready});
      events.push_back({ended, span.end, id, minibatch, span.ready});
    }
  }
}

bool is_start(const Event& event) {
  return event.kind == EventKind::operation_started || event.kind == EventKind::transfer_started;
}

}  // namespace

void replay(const scheduler::Timetable& timetable, EventSink& sink) {
  std::vector<Event> events;
  add_events(timetable.ops, EventKind::operation_started, EventKind::operation_ended, events);
  add_events(timetable.transfers, EventKind::transfer_started, EventKind::transfer_ended, events);
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tuple(a.date, is_start(a), a.minibatch) <
           std::tuple(b.date, is_start(b), b.minibatch);
  });
  for (const Event& event : events) sink.record(event);
}

}  // namespace layerpipe::sim
