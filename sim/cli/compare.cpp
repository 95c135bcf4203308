#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/command.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/options_in_force.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/schedule_choice.hpp"
#include "sim/report/compare_report.hpp"
#include "sim/run.hpp"

namespace layerpipe::sim::cli {
namespace {

struct Options {
  InputOptions input;
  std::vector<const scheduler::Scheduler*> schedulers;
  std::vector<std::string> allocations;
  scheduler::SchedulerOptions scheduler_options;
  std::int64_t iterations = 200;
  bool has_iterations = false;  ///< given on the command line
  std::optional<bool> until_steady;
  OutputOptions output;
};

/// In the order of rows.
std::vector<ScheduleChoice> choices(const Options& options, const Inputs& inputs) {
  std::vector<ScheduleChoice> result;
  for (const scheduler::Scheduler* scheduler : options.schedulers) {
    result.push_back({*scheduler, options.scheduler_options, {}});
  }
  for (const std::string& file : options.allocations) {
    result.push_back(read_choice(file, options.scheduler_options, inputs));
  }
  return result;
}

Result run_one(const Options& options, const Inputs& inputs, const ScheduleChoice& choice) {
  const bool until_steady = options.until_steady.value_or(!options.has_iterations);
  Progress progress("simulating " + choice.label(), options.iterations);
  return run({.machine = inputs.machine,
              .network = inputs.network,
              .profile = inputs.profile,
              .scheduler = choice.scheduler,
              .scheduler_options = choice.options,
              .iterations = options.iterations,
              .until_steady = until_steady,
              .options = to_json({.scheduler = &choice.scheduler,
                                  .scheduler_options = choice.options,
                                  .iterations = options.iterations,
                                  .first_input_gradient = options.input.first_input_gradient,
                                  .allocation = choice.allocation,
                                  .until_steady = until_steady},
                                 inputs),
              .progress = progress.callback()});
}

int compare(const Options& options) {
  std::vector<NamedFile> files{{"PLATFORM", platform_file(options.input)},
                               {"WORKLOAD", workload_file(options.input)},
                               {"--output", options.output.file}};
  for (const std::string& file : options.allocations) files.push_back({"--allocation", file});
  require_different_files(files);
  Destination destination(options.output.file);
  const Inputs inputs = load(options.input);
  std::vector<Result> results;
  for (const ScheduleChoice& choice : choices(options, inputs)) {
    results.push_back(run_one(options, inputs, choice));
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
  add_allocations_option(*command, options->allocations);
  add_iterations_option(*command, options->iterations);
  add_until_option(*command, options->until_steady, "steady; iterations, if --iterations is given");
  add_scheduler_options(*command, options->scheduler_options);
  add_output_options(*command, options->output);
  command->footer(
      "Example:\n"
      "  layerpipe compare platforms/three-32x32.xml workloads/sample4.yaml \\\n"
      "    --schedules pipedream,layerpipe");
  return {command, [command, options] {
            options->has_iterations = command->count("--iterations") > 0;
            return compare(*options);
          }};
}

}  // namespace layerpipe::sim::cli
