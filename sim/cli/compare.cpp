#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/cli/command.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/schedule_choice.hpp"
#include "sim/plan.hpp"
#include "sim/report/compare_report.hpp"
#include "sim/trace/picture/svg_picture.hpp"

namespace layerpipe::sim::cli {
namespace {

struct Options {
  InputOptions input;
  std::vector<const scheduler::Scheduler*> schedulers;
  std::vector<std::string> allocations;
  scheduler::SchedulerOptions scheduler_options;
  GivenOptions given;
  std::vector<DelaysChoice> delays;
  LengthOptions length;
  TraceOptions trace;
  OutputOptions output;
};

/// Schedules, then files.
std::vector<ScheduleChoice> placements(const Options& options, const Inputs& inputs) {
  std::vector<ScheduleChoice> result;
  for (const scheduler::Scheduler* scheduler : options.schedulers) {
    result.push_back({*scheduler, options.scheduler_options, {}});
  }
  for (const std::string& file : options.allocations) {
    result.push_back(read_choice(file, options.scheduler_options, inputs));
  }
  return result;
}

std::vector<const scheduler::Scheduler*> schedulers(const std::vector<ScheduleChoice>& choices) {
  std::vector<const scheduler::Scheduler*> result;
  for (const ScheduleChoice& choice : choices) result.push_back(&choice.scheduler);
  return result;
}

/// In the order of rows: each placement that reads delays with all that are asked for.
std::vector<ScheduleChoice> choices(const Options& options, const Inputs& inputs) {
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

ChartedRun run_one(const Options& options, const Inputs& inputs, const ScheduleChoice& choice) {
  const RunLength length = run_length(options.length);
  Progress progress("simulating " + choice.label(), length.iterations);
  RunRequest request = run_request(inputs, choice, length);
  request.trace_window = options.trace.window;
  request.progress = progress.callback();
  if (options.trace.files.empty()) return {run(request), {}};
  return run_with_chart(request);
}

/// Refuses a picture that is too large before the first run, with room for every schedule in mind.
void require_room(const Options& options, const Inputs& inputs,
                  const std::vector<ScheduleChoice>& choices) {
  if (options.trace.files.empty()) return;
  scheduler::Schedule largest;
  for (const ScheduleChoice& choice : choices) {
    scheduler::Schedule schedule =
        plan(choice.scheduler, inputs.profile, inputs.machine, choice.options).schedule;
    if (schedule.ops.size() > largest.ops.size()) largest = std::move(schedule);
  }
  const RunLength length = run_length(options.length);
  require_room_in_chart(largest, least_minibatches_shown(options.trace.window, length.iterations,
                                                         length.until_steady));
}

void write_pictures(std::deque<OutputFile>& files, const std::vector<Chart>& charts) {
  for (OutputFile& file : files) {
    write_svg(file.stream(), charts);
    file.flush();
  }
  for (OutputFile& file : files) file.commit();
}

int compare(const Options& options) {
  std::vector<NamedFile> files{{"PLATFORM", platform_file(options.input)},
                               {"WORKLOAD", workload_file(options.input)}};
  for (const std::string& file : options.allocations) files.push_back({"--allocation", file});
  for (const std::string& file : options.trace.files) files.push_back({"--trace", file});
  files.push_back({"--output", options.output.file});
  require_different_files(files);
  check(options.trace, run_length(options.length).iterations);
  Destination destination(options.output.file);
  const Inputs inputs = load(options.input);
  const std::vector<ScheduleChoice> chosen = choices(options, inputs);
  require_room(options, inputs, chosen);
  std::deque<OutputFile> pictures(options.trace.files.begin(), options.trace.files.end());
  std::vector<Result> results;
  std::vector<Chart> charts;
  for (const ScheduleChoice& choice : chosen) {
    ChartedRun run = run_one(options, inputs, choice);
    results.push_back(std::move(run.result));
    charts.push_back(std::move(run.chart));
  }
  write_pictures(pictures, charts);
  destination.write(render(CompareReport(std::move(results)), options.output.format));
  return 0;
}

}  // namespace

Command add_compare(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "compare", "Simulate a network on a machine under several schedules, one row each");
  const auto options = std::make_shared<Options>();
  add_input_options(*command, options->input);
  add_schedules_option(*command, options->schedulers);
  add_allocations_option(*command, options->allocations);
  add_length_options(*command, options->length);
  add_scheduler_options(*command, options->scheduler_options);
  add_delays_option(*command, options->delays);
  add_picture_options(*command, options->trace);
  add_output_options(*command, options->output);
  command->footer(
      "Example:\n"
      "  layerpipe compare platforms/three-32x32.xml workloads/sample4.yaml \\\n"
      "    --schedules pipedream,layerpipe");
  return {command, [command, options] {
            options->given = given_options(*command);
            return compare(*options);
          }};
}

}  // namespace layerpipe::sim::cli
