#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platforms/file/platform_file.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/complain.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/shipped_files.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/report/check_report.hpp"
#include "sim/report/contents.hpp"
#include "workloads/base/strict_yaml.hpp"
#include "workloads/base/text.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array shipped_kinds{shipped_platforms, shipped_workloads};

struct CheckOptions {
  std::vector<std::string> files;
  OutputOptions output;
};

/// XML begins with `<`, which no workload does. What is no file that can be read twice is left to
/// the reader of workloads: a pipe has one, and SimGrid loads platforms from files alone.
bool is_platform(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::ifstream stream(file);
  char c = '\0';
  while (stream.get(c) && std::string_view(" \t\r\n\xEF\xBB\xBF").find(c) != std::string::npos) {
  }
  return stream && c == '<';
}

struct Checked {
  Json contents;
  process::InputFile file;
};

/// What is in the file at `path`, which the user calls `name`.
Checked read(const std::string& name, const std::string& path) {
  if (is_platform(path)) {
    const std::string seen = engine::inspect_machine(path, [](const machine::Machine& machine) {
      return report::contents(machine).dump(-1, ' ', false, Json::error_handler_t::replace);
    });
    return {Json::parse(seen), process::input_file_of(name, file::read_platform_text(path))};
  }
  const std::string text = base::read_file(path, base::YamlLimits::bytes);
  return {report::contents(read::parse_network(text, path)), process::input_file_of(name, text)};
}

/// Whoever sees the table, which says what is wrong, sees complaints as well: on a terminal.
bool are_read_together(const OutputOptions& output) {
  return !output.file && output.format != report::Format::json && ::isatty(STDOUT_FILENO) == 1 &&
         ::isatty(STDERR_FILENO) == 1;
}

void require_standard_input_once(const std::vector<std::string>& files) {
  const auto is_standard_input = [](const std::string& file) {
    return file == base::standard_input || file == "/dev/stdin";
  };
  if (std::ranges::count_if(files, is_standard_input) < 2) return;
  throw UsageError("FILE: the standard input is named twice (expected once: it is read once)");
}

int check(const CheckOptions& options, process::Provenance provenance) {
  require_standard_input_once(options.files);
  for (const std::string& file : options.files) {
    if (file == base::standard_input) continue;
    std::vector<NamedFile> files = written_files(options.output);
    files.insert(
        files.begin(),
        NamedFile{"FILE", find_shipped(data_folder(), shipped_kinds, file).value_or(file)});
    require_different_files(files);
  }
  Destination destination(options.output);
  report::CheckReport report;
  int exit_code = 0;
  for (const std::string& file : options.files) {
    try {
      Checked checked = read(file, input_file(data_folder(), shipped_kinds, file));
      report.add_good(file, std::move(checked.contents));
      provenance.inputs.push_back(std::move(checked.file));
    } catch (const Error& error) {
      if (!are_read_together(options.output)) complain(error.what());
      report.add_bad(file, base::printable(error.what()));
      exit_code = InputError("").exit_code();
    }
  }
  destination.write(render(report, options.output.format, provenance), provenance);
  return exit_code;
}

}  // namespace

Command add_check(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "check", "Read platforms and workloads and say what they contain; runs nothing");
  const auto options = std::make_shared<CheckOptions>();
  command
      ->add_option(
          "FILE", options->files,
          "platforms (XML) and workloads (YAML), or names of shipped ones, in any order; - is a "
          "workload from the standard input")
      ->required()
      ->type_name("");
  add_output_options(*command, options->output);
  command->footer(
      "All files are gone through; the exit code is 3 if one of them is bad.\n"
      "Example:\n"
      "  layerpipe check platforms/*.xml workloads/*.yaml");
  return {command, [options](process::Provenance provenance) {
            return check(*options, std::move(provenance));
          }};
}

}  // namespace layerpipe::cli
