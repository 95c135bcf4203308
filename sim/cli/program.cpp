#include "sim/cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "sim/cli/command.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/usage.hpp"
#include "sim/engine/simgrid_versions.hpp"
#include "sim/process/output_file.hpp"

namespace layerpipe::cli {
namespace {

constexpr const char* purpose =
    "Simulates the pipelined training of a neural network on several systolic arrays:\n"
    "how fast it trains, where it stalls and why, what it sends.\n";

constexpr const char* example =
    "Example:\n"
    "  layerpipe compare platforms/three-32x32.xml workloads/sample4.yaml \\\n"
    "    --schedules pipedream,layerpipe\n"
    "\n"
    "`layerpipe COMMAND --help` lists the options of a command.";

/// What the command line asks for, if it is no command: text for the standard output.
std::optional<std::string> information(CLI::App& program, int argc, const char* const* argv) {
  try {
    parse(program, argc, argv);
  } catch (const CLI::CallForHelp&) {
    return program.help();
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + '\n';
  }
  if (program.get_subcommands().empty()) return program.help();
  return std::nullopt;
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  CLI::App program(purpose, "layerpipe");
  program.formatter(std::make_shared<HelpFormatter>());
  program.set_version_flag(
      "--version",
      fmt::format("layerpipe {} (SimGrid {})", LAYERPIPE_VERSION, engine::simgrid_version()),
      "Print the versions of the program and of SimGrid");
  program.footer(example);
  program.require_subcommand(0, 1);
  const std::array commands{add_simulate(program), add_compare(program),  add_profile(program),
                            add_schedule(program), add_theory(program),   add_sweep(program),
                            add_check(program),    add_platform(program), add_list(program)};
  for (const Command& command : commands) command.app->group("Commands");

  if (const auto text = information(program, argc, argv)) {
    process::write_standard_output(*text);
    return 0;
  }
  const auto chosen = std::find_if(commands.begin(), commands.end(), [&](const Command& command) {
    return command.app == program.get_subcommands().front();
  });
  return chosen->run({.program_version = LAYERPIPE_VERSION,
                      .simgrid_version = engine::simgrid_version(),
                      .command = process::shell_command("layerpipe", {argv + 1, argv + argc}),
                      .inputs = {}});
}

}  // namespace layerpipe::cli
