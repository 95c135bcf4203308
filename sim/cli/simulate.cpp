#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/cli/command.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/picture_window.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/schedule_choice.hpp"
#include "sim/cli/scheduling_options.hpp"
#include "sim/report/simulate_report.hpp"

namespace layerpipe::cli {
namespace {

struct SimulateOptions {
  InputOptions input;
  ScheduleOptions schedule;
  LengthOptions length;
  TraceOptions trace;
  OutputOptions output;
};

int simulate(const SimulateOptions& options, process::Provenance provenance) {
  std::vector<NamedFile> files{{"PLATFORM", platform_file(options.input)},
                               {"WORKLOAD", workload_file(options.input)},
                               {"--allocation", options.schedule.allocation},
                               {"--schedule-file", options.schedule.schedule_file}};
  std::ranges::copy(written_files(options.output, options.trace.files), std::back_inserter(files));
  require_different_files(files);
  const RunLength length = run_length(options.length);
  check(options.trace, length.iterations);
  Destination destination(options.output);
  const Inputs inputs = load(options.input);
  const ScheduleChoice choice = choose(options.schedule, inputs);
  provenance = with_files(std::move(provenance), inputs, {choice});
  const auto window = picture_window(options.trace, inputs, {choice}, length.iterations);
  Progress progress("simulating " + choice.label(), length.iterations);
  run::RunRequest request = run_request(inputs, choice, length);
  request.provenance = provenance;
  request.trace_files = options.trace.files;
  request.trace_window = options.trace.window;
  request.picture_window = window;
  request.progress = progress.callback();
  const metrics::Result result = run::run(request);
  progress.clear();
  destination.write(render(report::SimulateReport(result), options.output.format, provenance),
                    provenance);
  return 0;
}

}  // namespace

Command add_simulate(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "simulate", "Simulate a network on a machine: period, stalls by cause, what is sent");
  const auto options = std::make_shared<SimulateOptions>();
  add_input_options(*command, options->input);
  add_schedule_option(*command, options->schedule.scheduler);
  add_length_options(*command, options->length);
  add_scheduler_options(*command, options->schedule.values);
  add_delays_option(*command, options->schedule.delays);
  add_allocation_option(*command, options->schedule.allocation);
  add_schedule_file_option(*command, options->schedule.schedule_file);
  add_stages_option(*command, options->schedule.stages);
  add_trace_options(*command, options->trace);
  add_output_options(*command, options->output);
  command->footer(
      "Example:\n"
      "  layerpipe simulate platforms/three-32x32.xml workloads/sample4.yaml --trace run.paje");
  return {command, [command, options](process::Provenance provenance) {
            options->schedule.given = given_options(*command);
            return simulate(*options, std::move(provenance));
          }};
}

}  // namespace layerpipe::cli
