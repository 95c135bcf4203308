#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/cli/command.hpp"
#include "sim/cli/complain.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/picture_window.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/schedule_choice.hpp"
#include "sim/cli/scheduling_options.hpp"
#include "sim/report/compare_report.hpp"
#include "sim/run/plan.hpp"
#include "sim/trace/picture/svg_picture.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::cli {
namespace {

struct CompareOptions {
  InputOptions input;
  std::vector<const scheduler::Scheduler*> schedulers;
  std::vector<std::string> allocations;
  std::vector<std::string> schedule_files;
  std::vector<Stages> stages;
  placement::SchedulerOptions scheduler_options;
  GivenOptions given;
  std::vector<DelaysChoice> delays;
  LengthOptions length;
  TraceOptions trace;
  OutputOptions output;
};

std::vector<const scheduler::Scheduler*> named_schedulers(const CompareOptions& options) {
  if (!options.schedulers.empty()) return options.schedulers;
  std::vector<const scheduler::Scheduler*> all;
  for (const scheduler::Scheduler& scheduler : scheduler::schedulers()) all.push_back(&scheduler);
  return all;
}

/// All schedules that fit the inputs; says of others why they do not.
std::vector<ScheduleChoice> all_that_fit(const CompareOptions& options, const Inputs& inputs) {
  std::vector<ScheduleChoice> result;
  for (const scheduler::Scheduler& scheduler : scheduler::schedulers()) {
    try {
      ScheduleChoice choice = in_micro_batches({scheduler, options.scheduler_options, {}}, inputs);
      static_cast<void>(
          run::plan(scheduler, choice.profile(inputs), inputs.machine, choice.options));
      result.push_back(std::move(choice));
    } catch (const InfeasibleError& error) {
      complain(fmt::format("{} is left out: {}", scheduler.name, error.what()));
    }
  }
  if (result.empty()) throw InfeasibleError("no schedule fits (expected one at least)");
  return result;
}

/// Each with the schedules that can take them.
void add_stages(const CompareOptions& options, const Inputs& inputs,
                std::vector<ScheduleChoice>& rows) {
  for (const Stages& stages : options.stages) {
    const std::size_t before = rows.size();
    for (const scheduler::Scheduler* scheduler : named_schedulers(options)) {
      if (!takes_stages(*scheduler)) continue;
      rows.push_back(read_stages(stages, *scheduler, options.scheduler_options, inputs));
    }
    if (rows.size() > before) continue;
    throw UsageError(
        "--stages: no chosen schedule takes them (expected layerpipe or pipedream among "
        "--schedules)");
  }
}

/// Schedules, then files of either kind, then stages.
std::vector<ScheduleChoice> placements(const CompareOptions& options, const Inputs& inputs) {
  std::vector<ScheduleChoice> result;
  if (options.schedulers.empty()) result = all_that_fit(options, inputs);
  for (const scheduler::Scheduler* scheduler : options.schedulers) {
    result.push_back(in_micro_batches({*scheduler, options.scheduler_options, {}}, inputs));
  }
  for (const std::string& file : options.allocations) {
    result.push_back(read_choice(file, options.scheduler_options, inputs));
  }
  for (const std::string& file : options.schedule_files) {
    result.push_back(in_micro_batches(
        read_schedule_file(file, std::nullopt, options.scheduler_options), inputs));
  }
  add_stages(options, inputs, result);
  return result;
}

std::vector<const scheduler::Scheduler*> schedulers(const std::vector<ScheduleChoice>& choices) {
  std::vector<const scheduler::Scheduler*> result;
  for (const ScheduleChoice& choice : choices) result.push_back(&choice.scheduler);
  return result;
}

/// In the order of rows: each placement that reads delays with all that are asked for.
std::vector<ScheduleChoice> choices(const CompareOptions& options, const Inputs& inputs) {
  std::vector<ScheduleChoice> all = placements(options, inputs);
  require_readers(options.given, schedulers(all));
  if (options.delays.empty()) return all;
  std::vector<ScheduleChoice> result;
  for (ScheduleChoice& choice : all) {
    if (!choice.scheduler.reads(scheduler::SchedulerOption::delays)) {
      result.push_back(std::move(choice));
      continue;
    }
    for (const DelaysChoice& delays : options.delays) {
      result.push_back(with_delays(choice, delays, inputs));
    }
  }
  return result;
}

run::ChartedRun run_one(const CompareOptions& options, const Inputs& inputs,
                        const ScheduleChoice& choice,
                        const std::optional<trace::TraceWindow>& window) {
  const RunLength length = run_length(options.length);
  Progress progress("simulating " + choice.label(), length.iterations);
  run::RunRequest request = run_request(inputs, choice, length);
  request.picture_window = window;
  request.progress = progress.callback();
  if (options.trace.files.empty()) return {run::run(request), {}};
  return run_with_chart(request);
}

void write_pictures(std::deque<process::OutputFile>& files, const std::vector<trace::Chart>& charts,
                    const process::Provenance& provenance) {
  for (process::OutputFile& file : files) {
    write_svg(file.stream(), charts, provenance);
    file.flush();
  }
  for (process::OutputFile& file : files) file.commit();
}

int compare(const CompareOptions& options, process::Provenance provenance) {
  std::vector<NamedFile> files{{"PLATFORM", platform_file(options.input)},
                               {"WORKLOAD", workload_file(options.input)}};
  for (const std::string& file : options.allocations) files.push_back({"--allocation", file});
  for (const std::string& file : options.schedule_files) {
    files.push_back({"--schedule-file", file});
  }
  std::ranges::copy(written_files(options.output, options.trace.files), std::back_inserter(files));
  require_different_files(files);
  check(options.trace, run_length(options.length).iterations);
  Destination destination(options.output);
  const Inputs inputs = load(options.input);
  const std::vector<ScheduleChoice> chosen = choices(options, inputs);
  provenance = with_files(std::move(provenance), inputs, chosen);
  const auto window =
      picture_window(options.trace, inputs, chosen, run_length(options.length).iterations);
  std::deque<process::OutputFile> pictures(options.trace.files.begin(), options.trace.files.end());
  std::vector<metrics::Result> results;
  std::vector<trace::Chart> charts;
  for (const ScheduleChoice& choice : chosen) {
    run::ChartedRun run = run_one(options, inputs, choice, window);
    results.push_back(std::move(run.result));
    charts.push_back(std::move(run.chart));
  }
  write_pictures(pictures, charts, provenance);
  const report::CompareReport report(std::move(results));
  destination.write(render(report, options.output.format, provenance), provenance);
  return 0;
}

}  // namespace

Command add_compare(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "compare", "Simulate a network on a machine under several schedules, one row each");
  const auto options = std::make_shared<CompareOptions>();
  add_input_options(*command, options->input);
  add_schedules_option(*command, options->schedulers);
  add_allocations_option(*command, options->allocations);
  add_schedule_files_option(*command, options->schedule_files);
  add_stages_option(*command, options->stages);
  add_length_options(*command, options->length);
  add_scheduler_options(*command, options->scheduler_options);
  add_delays_option(*command, options->delays);
  add_picture_options(*command, options->trace);
  add_output_options(*command, options->output);
  command->footer(
      "Example:\n"
      "  layerpipe compare platforms/three-32x32.xml workloads/sample4.yaml \\\n"
      "    --schedules pipedream,layerpipe");
  return {command, [command, options](process::Provenance provenance) {
            options->given = given_options(*command);
            return compare(*options, std::move(provenance));
          }};
}

}  // namespace layerpipe::cli
