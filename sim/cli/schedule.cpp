#include "scheduler/contract/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/contract/lent_parts.hpp"
#include "scheduler/discipline/pytorch_schedule.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/complain.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/options_in_force.hpp"
#include "sim/cli/schedule_choice.hpp"
#include "sim/cli/scheduling_options.hpp"
#include "sim/report/schedule_report.hpp"
#include "sim/run/plan.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::cli {
namespace {

struct ScheduleCommand {
  InputOptions input;
  ScheduleOptions schedule;
  OutputOptions output;
  bool as_pytorch = false;
};

/// Throws UsageError for a plan that PyTorch's format has no words for.
std::string pytorch_text(const scheduler::Plan& plan, const scheduler::Scheduler& scheduler,
                         const costs::Profile& profile) {
  if (plan.program) return discipline::pytorch_csv(plan.program->program);
  const std::string_view reason = !scheduler.reads(scheduler::SchedulerOption::micro_batches)
                                      ? "has no order of micro-batches with a flush at its end"
                                  : contract::lent_parts(plan.schedule, profile).empty()
                                      ? "has no flush at the end of a minibatch"
                                      : "lends parts of input gradients";
  throw UsageError(
      fmt::format("--format pytorch: {} {} (expected a schedule with a flush, such as gpipe, 1f1b "
                  "or zb-h1, and --placement whole or even)",
                  plan.schedule.name, reason));
}

/// What PyTorch has to be told besides.
void tell_stages(const discipline::StageProgram& program,
                 const std::vector<std::string>& layer_names) {
  std::vector<std::string> first;
  std::vector<std::size_t> layers;
  for (const discipline::Stage& stage : program.stages) {
    first.push_back(layer_names[stage.first]);
    layers.push_back(stage.last + 1 - stage.first);
  }
  complain(fmt::format("stages begin with {} (--stages {})", fmt::join(first, ", "),
                       fmt::join(layers, ",")));
}

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
  if (options.as_pytorch) {
    destination.write(pytorch_text(planned, choice.scheduler, choice.profile(inputs)), provenance);
    tell_stages(*planned.program, planned.schedule.layer_names);
    return 0;
  }
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
  add_output_options(*command, options->output, options->as_pytorch);
  command->footer(
      "Example:\n"
      "  layerpipe schedule platforms/three-32x32.xml workloads/sample4.yaml");
  return {command, [command, options](process::Provenance provenance) {
            options->schedule.given = given_options(*command);
            return schedule(*options, std::move(provenance));
          }};
}

}  // namespace layerpipe::cli
