#pragma once

#include "scheduler/theory/recurrence.hpp"
#include "sim/events/events.hpp"

namespace layerpipe::metrics {

/// Tells a sink what happens by a timetable as if it happened in a run, so that both are measured
/// alike: operations and transfers in order of dates, at each date starts last. There are no flows.
/// The minibatch of a transfer is that of its producers.
void replay(const theory::Timetable& timetable, events::EventSink& sink);

}  // namespace layerpipe::metrics
