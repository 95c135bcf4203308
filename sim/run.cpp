#include "sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "scheduler/check_schedule.hpp"
#include "scheduler/theory/retiming.hpp"
#include "sim/channel.hpp"
#include "sim/engine/isolated_process.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/metrics/conservation.hpp"
#include "sim/metrics/live_memory.hpp"
#include "sim/metrics/live_versions.hpp"
#include "sim/metrics/minibatch_ends.hpp"
#include "sim/metrics/per_minibatch.hpp"
#include "sim/metrics/result_json.hpp"
#include "sim/metrics/stalls.hpp"
#include "sim/metrics/steady_state.hpp"
#include "sim/output_file.hpp"
#include "sim/plan.hpp"
#include "sim/trace/trace_formats.hpp"
#include "sim/trace/trace_recorder.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::sim {

namespace {

using scheduler::ProcessorId;
using scheduler::Schedule;

/// Tells how many minibatches have ended.
class ProgressSink final : public EventSink {
 public:
  ProgressSink(const Schedule& schedule, const std::function<void(std::int64_t)>& progress)
      : minibatches_(schedule), progress_(progress) {}

  void record(const Event& event) override {
    if (minibatches_.record(event)) progress_(minibatches_.ended());
  }

 private:
  MinibatchEnds minibatches_;
  const std::function<void(std::int64_t)>& progress_;
};

/// Hands every event on to several sinks, and knows the date of the last operation.
class EventFan final : public EventSink {
 public:
  void add(EventSink& sink) { sinks_.push_back(&sink); }

  void record(const Event& event) override {
    if (event.kind == EventKind::operation_ended) makespan_ = event.date;
    for (EventSink* sink : sinks_) sink->record(event);
  }

  void date_over(std::int64_t next, const FlowsLeft& flows) override {
    for (EventSink* sink : sinks_) sink->date_over(next, flows);
  }

  [[nodiscard]] std::int64_t makespan() const { return makespan_; }

 private:
  std::vector<EventSink*> sinks_;
  std::int64_t makespan_ = 0;
};

/// The layers that each processor holds, in order of execution.
std::vector<std::vector<std::string>> layers_of_processors(const Schedule& schedule) {
  std::vector<std::vector<std::string>> layers(schedule.orders.size());
  for (const scheduler::Op& op : schedule.ops) {
    for (const scheduler::OpPart& part : op.parts) {
      if (part.kind != scheduler::OpKind::forward) continue;
      layers[op.processor].push_back(schedule.layer_names[part.layer]);
    }
  }
  return layers;
}

/// Share of the steady state's time. Cycles per minibatch are means over fill and drain as well,
/// and may exceed the period of what is always busy. Precondition: the period is not 0.
double fraction_of_period(double cycles, const SteadyState& steady_state) {
  return std::min(1.0, cycles / steady_state.period_cycles);
}

/// Everything that listens to a run.
struct Metrics {
  Metrics(const RunRequest& request, const Schedule& schedule)
      : channels(used_channels(request.machine, schedule)),
        steady(schedule, request.iterations),
        stalls(schedule),
        counts(schedule, channels, request.iterations, steady),
        conservation(schedule),
        versions(schedule),
        memory(schedule, request.profile) {
    events.add(conservation);
    events.add(steady);
    events.add(stalls);
    events.add(counts);
    events.add(versions);
    events.add(memory);
  }

  Channels channels;
  SteadyStateDetector steady;
  StallAccount stalls;
  PerMinibatch counts;
  Conservation conservation;
  LiveVersions versions;
  LiveMemory memory;
  EventFan events;
};

/// The mean between ends, but no less than any processor is busy for a minibatch: where that is
/// more, the processor falls behind and will set the pace.
double inexact_period_cycles(double mean_cycles, const Metrics& metrics, std::size_t processors) {
  double cycles = mean_cycles;
  for (ProcessorId p = 0; p < processors; ++p) {
    cycles = std::max(cycles, static_cast<double>(metrics.counts.busy_cycles(p)));
  }
  return cycles;
}

SteadyState steady_state(const RunRequest& request, const Metrics& metrics) {
  const Period period = metrics.steady.period();
  SteadyState result;
  result.exact = period.exact;
  result.period_cycles = period.exact ? period.cycles_per_minibatch
                                      : inexact_period_cycles(period.cycles_per_minibatch, metrics,
                                                              request.machine.processors.size());
  if (result.period_cycles == 0.0) {
    throw InfeasibleError(fmt::format(
        "{}: minibatches take no time at all on {} (expected a layer that takes a cycle or more)",
        request.network.name, request.machine.name));
  }
  result.period_seconds = result.period_cycles / request.machine.clock_hertz;
  result.minibatches_per_period = period.minibatches;
  result.first_minibatch = period.first_minibatch;
  result.samples_per_second = static_cast<double>(request.network.batch) / result.period_seconds;
  return result;
}

std::vector<ProcessorResult> processor_results(const platforms::Machine& machine,
                                               const Schedule& schedule, const Metrics& metrics,
                                               const SteadyState& steady_state) {
  const std::vector<TimeUse> uses = metrics.stalls.time_use(metrics.events.makespan());
  const std::vector<std::vector<std::string>> layers = layers_of_processors(schedule);
  std::vector<ProcessorResult> results;
  for (ProcessorId p = 0; p < machine.processors.size(); ++p) {
    const std::int64_t busy = metrics.counts.busy_cycles(p);
    results.push_back({machine.processors[p], layers[p], uses[p].busy, busy,
                       fraction_of_period(static_cast<double>(busy), steady_state), uses[p].stalls,
                       metrics.memory.peak(p)});
  }
  return results;
}

std::vector<ChannelResult> channel_results(const platforms::Machine& machine,
                                           const Metrics& metrics,
                                           const SteadyState& steady_state) {
  std::vector<ChannelResult> results;
  for (std::size_t c = 0; c < metrics.channels.channels.size(); ++c) {
    const Channel& channel = metrics.channels.channels[c];
    const PerMinibatch::ChannelUse use = metrics.counts.channel(c);
    results.push_back({machine.processors[channel.source], machine.processors[channel.destination],
                       use.bytes, fraction_of_period(use.busy_cycles, steady_state)});
  }
  return results;
}

std::vector<LinkResult> link_results(const platforms::Machine& machine, const Metrics& metrics,
                                     const SteadyState& steady_state) {
  std::vector<std::int64_t> bytes(machine.links.size(), 0);
  std::vector<bool> is_used(machine.links.size(), false);
  for (std::size_t c = 0; c < metrics.channels.channels.size(); ++c) {
    for (const std::size_t link : metrics.channels.channels[c].route.links) {
      bytes[link] += metrics.counts.channel(c).bytes;
      is_used[link] = true;
    }
  }
  std::vector<LinkResult> results;
  for (std::size_t l = 0; l < machine.links.size(); ++l) {
    if (!is_used[l]) continue;
    const double cycles =
        static_cast<double>(bytes[l]) * machine.clock_hertz / machine.links[l].bytes_per_second;
    results.push_back({machine.links[l].name, bytes[l], fraction_of_period(cycles, steady_state)});
  }
  return results;
}

std::vector<LayerResult> layer_results(const Schedule& schedule, const Metrics& metrics) {
  const std::vector<scheduler::LayerDelays> delays = layer_delays(schedule);
  std::vector<LayerResult> results;
  for (std::size_t l = 0; l < schedule.layer_names.size(); ++l) {
    const LiveVersions::Most most = metrics.versions.most(l);
    results.push_back({schedule.layer_names[l], most.weights, most.activations, delays[l].staleness,
                       most.lent_weights, most.queued});
  }
  return results;
}

Result summarize(const RunRequest& request, const Schedule& schedule, const Metrics& metrics,
                 std::int64_t iterations) {
  const platforms::Machine& machine = request.machine;
  Result result;
  result.platform = machine.name;
  result.workload = request.network.name;
  result.schedule = schedule.name;
  result.options = request.options;
  result.batch = request.network.batch;
  result.iterations = iterations;
  result.iterations_requested = request.iterations;
  result.processors_given = static_cast<std::int64_t>(machine.processors.size());
  result.processors_used = static_cast<std::int64_t>(schedule.stages);
  result.engine = {simgrid_version(), simgrid_settings()};
  result.steady_state = steady_state(request, metrics);
  result.makespan_cycles = metrics.events.makespan();
  result.bounds = {slowest_processor_cycles(schedule), total_cycles(request.profile)};
  result.processors = processor_results(machine, schedule, metrics, result.steady_state);
  result.communication_per_minibatch = metrics.counts.communication();
  result.channels = channel_results(machine, metrics, result.steady_state);
  result.links = link_results(machine, metrics, result.steady_state);
  result.layers = layer_results(schedule, metrics);
  return result;
}

using Json = nlohmann::ordered_json;

/// The traces of a run, written by its own process, and its chart if it is asked for.
class Traces {
 public:
  Traces(const RunRequest& request, const Schedule& schedule, const Channels& channels,
         std::deque<OutputFile>& files, bool with_chart)
      : recorder_(schedule, channels, request.trace_window), files_(files) {
    const TraceSubject subject{request.machine, schedule, channels};
    for (std::size_t i = 0; i < files_.size(); ++i) {
      add(make_trace_writer(request.trace_files[i], files_[i].stream(), subject));
    }
    if (!with_chart) return;
    auto chart = std::make_unique<ChartRecorder>(subject);
    chart_ = chart.get();
    add(std::move(chart));
  }

  void listen_to(Metrics& metrics) {
    if (writers_.empty()) return;
    recorder_.watch(metrics.memory);
    metrics.events.add(recorder_);
    metrics.stalls.listen(recorder_);
  }

  /// Ends and flushes the files, which are not committed.
  void finish(const Result& result) {
    recorder_.finish(result);
    for (OutputFile& file : files_) file.flush();
  }

  /// Null if there is none.
  [[nodiscard]] Json chart() const {
    return chart_ == nullptr ? Json() : Json(to_json(chart_->chart()));
  }

 private:
  void add(std::unique_ptr<TraceWriter> writer) {
    recorder_.add(*writer);
    writers_.push_back(std::move(writer));
  }

  std::vector<std::unique_ptr<TraceWriter>> writers_;
  const ChartRecorder* chart_ = nullptr;
  TraceRecorder recorder_;
  std::deque<OutputFile>& files_;
};

/// When the run may stop early; empty if never.
std::function<bool()> stop_rule(const RunRequest& request, const Metrics& metrics) {
  if (!request.until_steady) return {};
  const std::int64_t least = request.trace_window ? request.trace_window->last + 1 : 0;
  return [&metrics, least] {
    const std::int64_t ended = metrics.steady.minibatches_ended();
    return ended >= least && metrics.counts.has_enough(ended);
  };
}

/// Simulates in this process. An object with the result and the chart.
Json execute(const RunRequest& request, const Schedule& schedule,
             std::deque<OutputFile>& trace_files, bool with_chart) {
  Metrics metrics(request, schedule);
  ProgressSink progress(schedule, request.progress);
  if (request.progress) metrics.events.add(progress);
  Traces traces(request, schedule, metrics.channels, trace_files, with_chart);
  traces.listen_to(metrics);
  const std::int64_t iterations =
      simulate(request.machine, schedule, request.iterations, metrics.events,
               {.may_stop = stop_rule(request, metrics)});
  metrics.conservation.check(iterations);
  metrics.stalls.finish(metrics.events.makespan());
  metrics.counts.finish(iterations);
  const Result result = summarize(request, schedule, metrics, iterations);
  traces.finish(result);
  return {{"result", to_json(result)}, {"chart", traces.chart()}};
}

/// As execute, in a process of its own.
Json execute_isolated(const RunRequest& request, bool with_chart) {
  const Schedule schedule =
      plan(request.scheduler, request.profile, request.machine, request.scheduler_options).schedule;
  const std::int64_t shown =
      least_minibatches_shown(request.trace_window, request.iterations, request.until_steady);
  if (with_chart) require_room_in_chart(schedule, shown);
  std::deque<OutputFile> trace_files;
  for (const std::string& path : request.trace_files) {
    require_room(path, schedule, shown);
    trace_files.emplace_back(path);
  }
  const std::string answer = run_isolated([&] {
    // The name of a platform's file may not be UTF-8.
    return execute(request, schedule, trace_files, with_chart)
        .dump(-1, ' ', false, Json::error_handler_t::replace);
  });
  for (OutputFile& file : trace_files) file.commit();
  return Json::parse(answer);
}

}  // namespace

Result run(const RunRequest& request) {
  return result_from_json(execute_isolated(request, false).at("result"));
}

ChartedRun run_with_chart(const RunRequest& request) {
  const Json answer = execute_isolated(request, true);
  return {result_from_json(answer.at("result")), chart_from_json(answer.at("chart"))};
}

Result run_in_this_process(const RunRequest& request) {
  const Schedule schedule =
      request.scheduler.plan(request.profile, request.machine, request.scheduler_options).schedule;
  check(schedule, request.profile);
  std::deque<OutputFile> no_traces;
  return result_from_json(execute(request, schedule, no_traces, false).at("result"));
}

}  // namespace layerpipe::sim
