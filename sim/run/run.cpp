#include "sim/run/run.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "scheduler/contract/check_schedule.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/events/channel.hpp"
#include "sim/metrics/minibatch_ends.hpp"
#include "sim/metrics/result_json.hpp"
#include "sim/process/isolated_process.hpp"
#include "sim/process/output_file.hpp"
#include "sim/process/sidecar.hpp"
#include "sim/run/plan.hpp"
#include "sim/run/run_metrics.hpp"
#include "sim/trace/trace_formats.hpp"
#include "sim/trace/trace_recorder.hpp"

namespace layerpipe::run {

namespace {

using contract::Schedule;

/// Tells how many minibatches have ended.
class ProgressSink final : public events::EventSink {
 public:
  ProgressSink(const Schedule& schedule, const std::function<void(std::int64_t)>& progress)
      : minibatches_(schedule), progress_(progress) {}

  void record(const events::Event& event) override {
    if (minibatches_.record(event)) progress_(minibatches_.ended());
  }

 private:
  metrics::MinibatchEnds minibatches_;
  const std::function<void(std::int64_t)>& progress_;
};

using Json = nlohmann::ordered_json;

/// What pictures and charts show; all, if empty.
const std::optional<trace::TraceWindow>& window_of_pictures(const RunRequest& request) {
  return request.picture_window ? request.picture_window : request.trace_window;
}

/// The traces of a run, written by its own process, and its chart if it is asked for.
class Traces {
 public:
  Traces(const RunRequest& request, const Schedule& schedule, const events::Channels& channels,
         std::deque<process::OutputFile>& files, bool with_chart)
      : others_(schedule, channels, request.trace_window),
        pictures_(schedule, channels, window_of_pictures(request)),
        files_(files) {
    const trace::TraceSubject subject{request.machine, schedule, channels, request.provenance};
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const std::string& path = request.trace_files[i];
      add(make_trace_writer(path, files_[i].stream(), subject),
          trace::is_picture(path) ? pictures_ : others_);
    }
    if (!with_chart) return;
    auto chart = std::make_unique<trace::ChartRecorder>(subject);
    chart_ = chart.get();
    add(std::move(chart), pictures_);
  }

  void listen_to(RunMetrics& metrics) {
    for (trace::TraceRecorder* recorder : {&others_, &pictures_}) {
      if (!recorder->has_writers()) continue;
      recorder->watch(metrics.memory);
      metrics.events.add(*recorder);
      metrics.stalls.listen(*recorder);
    }
  }

  /// Ends and flushes the files, which are not committed.
  void finish(const metrics::Result& result) {
    others_.finish(result);
    pictures_.finish(result);
    for (process::OutputFile& file : files_) file.flush();
  }

  /// Null if there is none.
  [[nodiscard]] Json chart() const {
    return chart_ == nullptr ? Json() : Json(to_json(chart_->chart()));
  }

 private:
  void add(std::unique_ptr<trace::TraceWriter> writer, trace::TraceRecorder& recorder) {
    recorder.add(*writer);
    writers_.push_back(std::move(writer));
  }

  std::vector<std::unique_ptr<trace::TraceWriter>> writers_;
  const trace::ChartRecorder* chart_ = nullptr;
  trace::TraceRecorder others_;
  trace::TraceRecorder pictures_;
  std::deque<process::OutputFile>& files_;
};

/// When the run may stop early; empty if never.
std::function<bool()> stop_rule(const RunRequest& request, const RunMetrics& metrics) {
  if (!request.until_steady) return {};
  std::int64_t least = 0;
  for (const auto& window : {request.trace_window, request.picture_window}) {
    if (window) least = std::max(least, window->last + 1);
  }
  return [&metrics, least] {
    const std::int64_t ended = metrics.steady.minibatches_ended();
    return ended >= least && metrics.counts.has_enough(ended) && metrics.latency.has_enough();
  };
}

/// Simulates in this process. An object with the result and the chart.
Json execute(const RunRequest& request, const Schedule& schedule,
             std::deque<process::OutputFile>& trace_files, bool with_chart) {
  RunMetrics metrics(request, schedule);
  ProgressSink progress(schedule, request.progress);
  if (request.progress) metrics.events.add(progress);
  Traces traces(request, schedule, metrics.channels, trace_files, with_chart);
  traces.listen_to(metrics);
  const std::int64_t iterations =
      engine::simulate(request.machine, schedule, request.iterations, metrics.events,
                       {.may_stop = stop_rule(request, metrics)});
  const metrics::Result result = summarize(request, schedule, metrics, iterations);
  traces.finish(result);
  return {{"result", to_json(result)}, {"chart", traces.chart()}};
}

/// As execute, in a process of its own.
Json execute_isolated(const RunRequest& request, bool with_chart) {
  const Schedule schedule =
      plan(request.scheduler, request.profile, request.machine, request.scheduler_options).schedule;
  const std::int64_t shown = least_minibatches_shown(window_of_pictures(request),
                                                     request.iterations, request.until_steady);
  if (with_chart) trace::require_room_in_chart(schedule, shown);
  std::deque<process::OutputFile> trace_files;
  std::map<const process::OutputFile*, process::Sidecar> sidecars;
  for (const std::string& path : request.trace_files) {
    trace::require_room(path, schedule, shown);
    const process::OutputFile& file = trace_files.emplace_back(path);
    if (request.provenance && trace::needs_sidecar(path)) sidecars.try_emplace(&file, path);
  }
  const std::string answer = process::run_isolated([&] {
    // The name of a platform's file may not be UTF-8.
    return execute(request, schedule, trace_files, with_chart)
        .dump(-1, ' ', false, Json::error_handler_t::replace);
  });
  for (process::OutputFile& file : trace_files) {
    const auto sidecar = sidecars.find(&file);
    if (sidecar == sidecars.end()) {
      file.commit();
    } else {
      sidecar->second.commit(file, *request.provenance);
    }
  }
  return Json::parse(answer);
}

}  // namespace

metrics::Result run(const RunRequest& request) {
  return metrics::result_from_json(execute_isolated(request, false).at("result"));
}

ChartedRun run_with_chart(const RunRequest& request) {
  const Json answer = execute_isolated(request, true);
  return {metrics::result_from_json(answer.at("result")),
          trace::chart_from_json(answer.at("chart"))};
}

metrics::Result run_in_this_process(const RunRequest& request) {
  const Schedule schedule =
      request.scheduler.plan(request.profile, request.machine, request.scheduler_options).schedule;
  check(schedule, request.profile);
  std::deque<process::OutputFile> no_traces;
  return metrics::result_from_json(execute(request, schedule, no_traces, false).at("result"));
}

}  // namespace layerpipe::run
