#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "sim/events/channel.hpp"
#include "sim/events/events.hpp"
#include "sim/metrics/conservation.hpp"
#include "sim/metrics/in_flight.hpp"
#include "sim/metrics/latency.hpp"
#include "sim/metrics/link_capacity.hpp"
#include "sim/metrics/live_memory.hpp"
#include "sim/metrics/live_versions.hpp"
#include "sim/metrics/per_minibatch.hpp"
#include "sim/metrics/result.hpp"
#include "sim/metrics/stalls.hpp"
#include "sim/metrics/steady_state.hpp"
#include "sim/metrics/steady_use.hpp"
#include "sim/metrics/used_versions.hpp"
#include "sim/run/run.hpp"

namespace layerpipe::run {

/// Hands every event on to several sinks, and knows the date of the last operation.
class EventFan final : public events::EventSink {
 public:
  void add(events::EventSink& sink) { sinks_.push_back(&sink); }

  void record(const events::Event& event) override {
    if (event.kind == events::EventKind::operation_ended) makespan_ = event.date;
    for (events::EventSink* sink : sinks_) sink->record(event);
  }

  void date_over(std::int64_t next, const events::FlowsLeft& flows) override {
    for (events::EventSink* sink : sinks_) sink->date_over(next, flows);
  }

  [[nodiscard]] std::int64_t makespan() const { return makespan_; }

 private:
  std::vector<events::EventSink*> sinks_;
  std::int64_t makespan_ = 0;
};

/// Everything that is measured of every run. `events` is the sink that all of it listens to; what
/// is added to that later hears each event later. The schedule must outlive it.
struct RunMetrics {
  RunMetrics(const RunRequest& request, const contract::Schedule& schedule);
  RunMetrics(const RunMetrics&) = delete;
  RunMetrics& operator=(const RunMetrics&) = delete;

  events::Channels channels;
  double communication_cycles;
  metrics::SteadyStateDetector steady;
  metrics::StallAccount stalls;
  metrics::PerMinibatch counts;
  metrics::SteadyUse steady_use;
  metrics::LinkCapacity capacity;
  metrics::Conservation conservation;
  metrics::LatencyAccount latency;
  metrics::LiveVersions versions;
  metrics::UsedVersions used_versions;
  metrics::LiveMemory memory;
  metrics::InFlight in_flight;
  EventFan events;
};

/// What the run of `iterations` minibatches comes to, after `metrics` has heard all of it; tells
/// the listener of stalls the drain. Throws InternalError if the run did not do what the schedule
/// asks for, and InfeasibleError if minibatches take no time.
[[nodiscard]] metrics::Result summarize(const RunRequest& request,
                                        const contract::Schedule& schedule, RunMetrics& metrics,
                                        std::int64_t iterations);

}  // namespace layerpipe::run
