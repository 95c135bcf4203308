#include <memory>
#include <string>
#include <vector>

#include "sim/cli/command.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/options_in_force.hpp"
#include "sim/cli/progress.hpp"
#include "sim/report/compare_report.hpp"
#include "sim/run.hpp"

namespace layerpipe::sim::cli {
namespace {

struct Options {
  InputOptions input;
  std::vector<const scheduler::Scheduler*> schedulers;
  scheduler::SchedulerOptions scheduler_options;
  std::int64_t iterations = 200;
  OutputOptions output;
};

Result run_one(const Options& options, const Inputs& inputs,
               const scheduler::Scheduler& scheduler) {
  Progress progress("simulating " + std::string(scheduler.name), options.iterations);
  return run({.machine = inputs.machine,
              .network = inputs.network,
              .profile = inputs.profile,
              .scheduler = scheduler,
              .scheduler_options = options.scheduler_options,
              .iterations = options.iterations,
              .options = to_json({&scheduler, options.scheduler_options, options.iterations,
                                  options.input.first_input_gradient},
                                 inputs),
              .progress = progress.callback()});
}

int compare(const Options& options) {
  require_different_files({{"PLATFORM", platform_file(options.input)},
                           {"WORKLOAD", workload_file(options.input)},
                           {"--output", options.output.file}});
  Destination destination(options.output.file);
  const Inputs inputs = load(options.input);
  std::vector<Result> results;
  for (const scheduler::Scheduler* scheduler : options.schedulers) {
    results.push_back(run_one(options, inputs, *scheduler));
  }
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
  add_iterations_option(*command, options->iterations);
  add_scheduler_options(*command, options->scheduler_options);
  add_output_options(*command, options->output);
  command->footer(
      "Example:\n"
      "  layerpipe compare platforms/three-32x32.xml workloads/sample4.yaml \\\n"
      "    --schedules pipedream,layerpipe");
  return {command, [options] { return compare(*options); }};
}

}  // namespace layerpipe::sim::cli
