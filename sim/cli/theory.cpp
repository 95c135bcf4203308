#include "sim/run/theory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "scheduler/theory/graphviz.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/schedule_choice.hpp"
#include "sim/cli/scheduling_options.hpp"
#include "sim/cli/values.hpp"
#include "sim/process/output_file.hpp"
#include "sim/report/theory_report.hpp"
#include "sim/run/plan.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::cli {
namespace {

struct TheoryOptions {
  InputOptions input;
  ScheduleOptions schedule;
  std::int64_t iterations = run::iterations_by_default;
  std::optional<std::string> dot_folder;
  OutputOptions output;
};

/// A file for each step, step-00.dot, step-01.dot, ...; all of them are whole under temporary names
/// before the first gets its own.
void write_pictures(const std::string& folder, const run::Theory& theory) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) throw OutputError(fmt::format("{}: cannot be made: {}", folder, error.message()));
  std::vector<std::unique_ptr<process::OutputFile>> files;
  for (std::size_t step = 0; step < theory.steps.size(); ++step) {
    files.push_back(
        std::make_unique<process::OutputFile>(fmt::format("{}/step-{:02}.dot", folder, step)));
    files.back()->stream() << graphviz(theory.graph, theory.steps[step]);
    files.back()->prepare();
  }
  for (const auto& file : files) file->commit();
}

metrics::Result simulated(const TheoryOptions& options, const Inputs& inputs,
                          const ScheduleChoice& choice) {
  Progress progress("simulating " + choice.label(), options.iterations);
  run::RunRequest request = run_request(inputs, choice, {.iterations = options.iterations});
  request.progress = progress.callback();
  return run(request);
}

int theory(const TheoryOptions& options, process::Provenance provenance) {
  std::vector<NamedFile> files{{"PLATFORM", platform_file(options.input)},
                               {"WORKLOAD", workload_file(options.input)}};
  std::ranges::copy(written_files(options.output), std::back_inserter(files));
  require_different_files(files);
  Destination destination(options.output);
  const Inputs inputs = load(options.input);
  const ScheduleChoice choice = choose(options.schedule, inputs);
  if (choice.scheduler.reads(scheduler::SchedulerOption::micro_batches)) {
    throw UsageError(fmt::format(
        "--schedule: theory knows no micro-batches, in which {} goes (expected another schedule)",
        choice.scheduler.name));
  }
  provenance = with_files(std::move(provenance), inputs, {choice});
  const scheduler::Plan planned =
      run::plan(choice.scheduler, choice.profile(inputs), inputs.machine, choice.options);
  run::Theory derived =
      run::theory(inputs.machine, inputs.profile, planned.schedule, options.iterations);
  metrics::Result result = simulated(options, inputs, choice);
  if (options.dot_folder) write_pictures(*options.dot_folder, derived);
  const report::TheoryReport report(std::move(derived), std::move(result));
  destination.write(render(report, options.output.format, provenance), provenance);
  return 0;
}

}  // namespace

Command add_theory(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "theory",
      "How the pipeline is derived step by step, and its period by bounds, recurrence and run");
  const auto options = std::make_shared<TheoryOptions>();
  add_input_options(*command, options->input);
  add_schedule_option(*command, options->schedule.scheduler);
  add_iterations_option(*command, options->iterations);
  add_scheduler_options(*command, options->schedule.values);
  add_delays_option(*command, options->schedule.delays);
  add_value(*command, "--dot", "DIR",
            "Write the graph after each step to DIR/step-00.dot and so on, in Graphviz's language "
            "(default: none)",
            [options](const std::string& text) { options->dot_folder = text; });
  add_output_options(*command, options->output);
  command->footer(
      "Example:\n"
      "  layerpipe theory platforms/three-32x32.xml workloads/sample4.yaml --dot steps");
  return {command, [command, options](process::Provenance provenance) {
            options->schedule.given = given_options(*command);
            return theory(*options, std::move(provenance));
          }};
}

}  // namespace layerpipe::cli
