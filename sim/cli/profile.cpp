#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "scheduler/costs/split.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/inputs.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/options_in_force.hpp"
#include "sim/cli/scheduling_options.hpp"
#include "sim/report/profile_report.hpp"

namespace layerpipe::cli {
namespace {

struct ProfileOptions {
  InputOptions input;
  costs::Split split = costs::Split::ideal;
  OutputOptions output;
};

int profile(const ProfileOptions& options, process::Provenance provenance) {
  std::vector<NamedFile> files{{"PLATFORM", platform_file(options.input)},
                               {"WORKLOAD", workload_file(options.input)}};
  std::ranges::copy(written_files(options.output), std::back_inserter(files));
  require_different_files(files);
  Destination destination(options.output);
  const Inputs inputs = load(options.input);
  provenance.inputs = inputs.files;
  const OptionsInForce in_force{.split = options.split};
  require_divisible(inputs.profile, options.split);
  const report::ProfileReport report(inputs.machine, inputs.network, inputs.profile, options.split,
                                     to_json(in_force, inputs));
  destination.write(render(report, options.output.format, provenance), provenance);
  return 0;
}

}  // namespace

Command add_profile(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "profile", "What every layer of a network costs on a machine: cycles and bytes");
  const auto options = std::make_shared<ProfileOptions>();
  add_input_options(*command, options->input);
  add_split_option(*command, options->split);
  add_output_options(*command, options->output);
  command->footer(
      "Example:\n"
      "  layerpipe profile platforms/three-32x32.xml workloads/vgg16.yaml --batch 16");
  return {command, [options](process::Provenance provenance) {
            return profile(*options, std::move(provenance));
          }};
}

}  // namespace layerpipe::cli
