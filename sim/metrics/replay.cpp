#include "sim/metrics/replay.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace layerpipe::metrics {

namespace {

using theory::Span;

/// Calls `add(span, id, minibatch)` for each span.
template <class Add>
void for_each(const std::vector<std::vector<Span>>& spans, Add add) {
  for (std::size_t id = 0; id < spans.size(); ++id) {
    for (std::size_t m = 0; m < spans[id].size(); ++m) {
      add(spans[id][m], id, static_cast<std::int64_t>(m));
    }
  }
}

bool is_start(const events::Event& event) {
  return event.kind == events::EventKind::operation_started ||
         event.kind == events::EventKind::transfer_started;
}

}  // namespace

void replay(const theory::Timetable& timetable, events::EventSink& sink) {
  std::vector<events::Event> events;
  for_each(timetable.ops, [&](const Span& span, std::size_t op, std::int64_t m) {
    events.push_back({events::EventKind::operation_started, span.start, op, m});
    events.push_back({events::EventKind::operation_ended, span.end, op, m});
  });
  for_each(timetable.transfers, [&](const Span& span, std::size_t tensor, std::int64_t m) {
    events.push_back({events::EventKind::transfer_queued, span.ready, tensor, m, span.ready});
    events.push_back({events::EventKind::transfer_started, span.start, tensor, m, span.ready});
    events.push_back({events::EventKind::transfer_ended, span.end, tensor, m, span.ready});
  });
  std::stable_sort(events.begin(), events.end(),
                   [](const events::Event& a, const events::Event& b) {
                     return std::tuple(a.date, is_start(a), a.minibatch) <
                            std::tuple(b.date, is_start(b), b.minibatch);
                   });
  const events::FlowsLeft no_flows = [] { return std::vector<double>(); };
  std::int64_t date = 0;
  for (const events::Event& event : events) {
    if (event.date > date) sink.date_over(event.date, no_flows);
    date = event.date;
    sink.record(event);
  }
}

}  // namespace layerpipe::metrics
