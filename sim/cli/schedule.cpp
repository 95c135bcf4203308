#include "scheduler/contract/schedule.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "sim/cli/command.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/options_in_force.hpp"
#include "sim/cli/schedule_choice.hpp"
#include "sim/report/schedule_report.hpp"
#include "sim/run/plan.hpp"

namespace layerpipe::cli {
namespace {

struct ScheduleCommand {
  InputOptions input;
  ScheduleOptions schedule;
  OutputOptions output;
};

int schedule(const ScheduleCommand& options, process::Provenance provenance) {
  std::vector<NamedFile> files{{"PLATFORM", platform_file(options.input)},
                               {"WORKLOAD", workload_file(options.input)},
                               {"--allocation", options.schedule.allocation},
                               {"--schedule-file", options.schedule.schedule_file}};
  std::ranges::copy(written_files(options.output), std::back_inserter(files));
  require_different_files(files);
  Destination destination(options.output);
  const Inputs inputs = load(options.input);
  const ScheduleChoice choice = choose(options.schedule, inputs);
  provenance = with_files(std::move(provenance), inputs, {choice});
  const scheduler::Plan planned =
      run::plan(choice.scheduler, choice.profile(inputs), inputs.machine, choice.options);
  const OptionsInForce in_force{.scheduler = &choice.scheduler,
                                .scheduler_options = choice.options,
                                .allocation = choice.allocation,
                                .schedule_file = choice.schedule_file,
                                .stages = choice.stages,
                                .auto_delays = choice.auto_delays};
  const report::ScheduleReport report(inputs.machine, inputs.network.name, choice.profile(inputs),
                                      planned, to_json(in_force, inputs));
  destination.write(render(report, options.output.format, provenance), provenance);
  return 0;
}

}  // namespace

Command add_schedule(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "schedule", "Which operations a schedule places on which processor; runs nothing");
  const auto options = std::make_shared<ScheduleCommand>();
  add_input_options(*command, options->input);
  add_schedule_option(*command, options->schedule.scheduler);
  add_scheduler_options(*command, options->schedule.values);
  add_delays_option(*command, options->schedule.delays);
  add_allocation_option(*command, options->schedule.allocation);
  add_schedule_file_option(*command, options->schedule.schedule_file);
  add_stages_option(*command, options->schedule.stages);
  add_output_options(*command, options->output);
  command->footer(
      "Example:\n"
      "  layerpipe schedule platforms/three-32x32.xml workloads/sample4.yaml");
  return {command, [command, options](process::Provenance provenance) {
            options->schedule.given = given_options(*command);
            return schedule(*options, std::move(provenance));
          }};
}

}  // namespace layerpipe::cli
