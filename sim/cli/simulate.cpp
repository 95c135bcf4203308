#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/command.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/schedule_choice.hpp"
#include "sim/report/simulate_report.hpp"

namespace layerpipe::sim::cli {
namespace {

struct Options {
  InputOptions input;
  ScheduleOptions schedule;
  LengthOptions length;
  TraceOptions trace;
  OutputOptions output;
};

int simulate(const Options& options) {
  std::vector<NamedFile> files{{"PLATFORM", platform_file(options.input)},
                               {"WORKLOAD", workload_file(options.input)},
                               {"--allocation", options.schedule.allocation}};
  for (const std::string& file : options.trace.files) files.push_back({"--trace", file});
  files.push_back({"--output", options.output.file});
  require_different_files(files);
  const RunLength length = run_length(options.length);
  check(options.trace, length.iterations);
  Destination destination(options.output.file);
  const Inputs inputs = load(options.input);
  const ScheduleChoice choice = choose(options.schedule, inputs);
  Progress progress("simulating " + choice.label(), length.iterations);
  RunRequest request = run_request(inputs, choice, length);
  request.trace_files = options.trace.files;
  request.trace_window = options.trace.window;
  request.progress = progress.callback();
  const Result result = run(request);
  progress.clear();
  destination.write(render(SimulateReport(result), options.output.format));
  return 0;
}

}  // namespace

Command add_simulate(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "simulate", "Simulate a network on a machine: period, stalls by cause, what is sent");
  const auto options = std::make_shared<Options>();
  add_input_options(*command, options->input);
  add_schedule_option(*command, options->schedule.scheduler);
  add_length_options(*command, options->length);
  add_scheduler_options(*command, options->schedule.values);
  add_delays_option(*command, options->schedule.delays);
  add_allocation_option(*command, options->schedule.allocation);
  add_trace_options(*command, options->trace);
  add_output_options(*command, options->output);
  command->footer(
      "Example:\n"
      "  layerpipe simulate platforms/three-32x32.xml workloads/sample4.yaml --trace run.paje");
  return {command, [command, options] {
            options->schedule.given = given_options(*command);
            return simulate(*options);
          }};
}

}  // namespace layerpipe::sim::cli
