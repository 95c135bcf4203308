#include "sim/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sim/cli/command.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/shipped_files.hpp"
#include "sim/cli/values.hpp"
#include "sim/engine/simgrid_versions.hpp"
#include "sim/sweep/merge.hpp"
#include "sim/sweep/rows.hpp"
#include "sim/sweep/spec.hpp"
#include "workloads/base/error.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::cli {
namespace {

struct SweepOptions {
  std::string spec;
  std::optional<std::string> output;
  std::size_t at_once = std::max(1U, std::thread::hardware_concurrency());
  sweep::Share share;
  bool resume = false;
  bool list = false;
  std::vector<std::string> merge;
};

sweep::Share parse_share(std::string_view text) {
  constexpr base::Range parts{1, 1'000'000};
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    throw InputError(
        fmt::format("{} is no share (expected K/N such as 1/4)", base::in_quotes(text)));
  }
  const std::int64_t of = base::parse_whole_number(text.substr(slash + 1), parts);
  const std::int64_t part = base::parse_whole_number(text.substr(0, slash), {1, of});
  return {static_cast<std::size_t>(part), static_cast<std::size_t>(of)};
}

/// Paths in the spec are relative to its folder.
sweep::SpecFiles files_of(const std::string& spec) {
  const std::filesystem::path folder = std::filesystem::path(spec).parent_path();
  const auto find_in_folder = [folder](const ShippedKind& kind) {
    return [folder, kind](const std::string& name) {
      return input_file(data_folder(), std::array{kind}, name, folder);
    };
  };
  return {find_in_folder(shipped_workloads), find_in_folder(shipped_platforms)};
}

std::string number(std::size_t count) {
  return base::format_count(static_cast<std::int64_t>(count));
}

std::string number_of_points(std::size_t count) {
  return base::format_count(static_cast<std::int64_t>(count), "point", "points");
}

sweep::JournalTitle title(const SweepOptions& options, const sweep::SweepSpec& spec) {
  return {.program = fmt::format("layerpipe {} (SimGrid {})", LAYERPIPE_VERSION,
                                 engine::simgrid_version()),
          .inputs = spec.inputs,
          .share = fmt::format("{}/{}", options.share.part, options.share.of)};
}

void require_different_files(const SweepOptions& options, const sweep::SweepSpec& spec) {
  std::vector<NamedFile> files{{"SPEC", options.spec}};
  for (const sweep::SweepWorkload& workload : spec.workloads)
    files.push_back({"workloads", workload.file});
  for (const sweep::SweepPlatform& platform : spec.platforms)
    files.push_back({"platforms", platform.file});
  for (const NamedFile& file : files) {
    cli::require_different_files({file, {"--output", options.output}});
    cli::require_different_files({file, {"the journal", sweep::journal_file(*options.output)}});
    cli::require_different_files(
        {file, {"the provenance", process::Sidecar::name(*options.output)}});
  }
}

int list(const std::vector<sweep::Point>& points) {
  std::string text = sweep::header_of_points() + '\n';
  for (const sweep::Point& point : points) text += point_fields(point) + '\n';
  process::write_standard_output(text);
  return 0;
}

int run(const SweepOptions& options, const sweep::SweepSpec& spec, std::vector<sweep::Point> points,
        process::Provenance provenance) {
  require_different_files(options, spec);
  const std::size_t count = points.size();
  Progress progress("sweeping", static_cast<std::int64_t>(count));
  progress.count_units("points");
  const sweep::SweepOutcome outcome = sweep::sweep(
      {.points = std::move(points),
       .output = *options.output,
       .title = title(options, spec),
       .mode = options.resume ? sweep::Journal::Mode::resume : sweep::Journal::Mode::begin,
       .provenance = std::move(provenance),
       .at_once = options.at_once,
       .progress = [&](std::size_t done) { progress.finished(static_cast<std::int64_t>(done)); }});
  progress.clear();
  if (outcome.signal != 0) {
    constexpr int ended_by_signal = 128;
    fmt::print(stderr,
               "layerpipe: interrupted after {} of {}; to go on: the same command with --resume\n",
               number(outcome.finished), number_of_points(count));
    return ended_by_signal + outcome.signal;
  }
  process::write_standard_output(fmt::format("{}, {} of them without a result: {}\n",
                                             number_of_points(count),
                                             number(outcome.without_result), *options.output));
  if (outcome.failed == 0) return 0;
  constexpr int points_failed = 6;
  fmt::print(stderr,
             "layerpipe: {} of {} failed (column message says why); to try them again: the same "
             "command with --resume\n",
             number(outcome.failed), number_of_points(count));
  return points_failed;
}

int sweep(const SweepOptions& options, process::Provenance provenance) {
  if (options.list && options.output) {
    throw UsageError("--list writes no results (expected no --output)");
  }
  if (!options.list && !options.output) throw UsageError("--output is required");
  const sweep::SweepSpec spec = read_spec(options.spec, files_of(options.spec));
  provenance.inputs = spec.inputs;
  std::vector<sweep::Point> all = points(spec);
  if (!options.merge.empty()) {
    require_different_files(options, spec);
    Destination destination({.format = report::Format::csv, .file = options.output});
    const sweep::MergedResults merged = merge(all, options.merge);
    std::ranges::copy(merged.files, std::back_inserter(provenance.inputs));
    destination.write(merged.text, provenance);
    return 0;
  }
  std::vector<sweep::Point> share = share_of(std::move(all), options.share);
  return options.list ? list(share) : run(options, spec, std::move(share), std::move(provenance));
}

}  // namespace

Command add_sweep(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "sweep", "Simulate all combinations of networks, machines and schedules, a CSV row each");
  const auto options = std::make_shared<SweepOptions>();
  command->add_option("SPEC", options->spec, "what is to be combined (YAML)")
      ->required()
      ->type_name("");
  add_value(*command, "--output", "FILE",
            "Write the results to FILE, whole or not at all; until then FILE.journal keeps the "
            "rows that are finished",
            [options = options.get()](const std::string& text) { options->output = text; });
  add_value(*command, "--jobs", "N", "Points to simulate at a time (default: one per core)",
            [options = options.get()](const std::string& text) {
              constexpr base::Range processes{1, 4096};
              options->at_once =
                  static_cast<std::size_t>(base::parse_whole_number(text, processes));
            });
  command
      ->add_flag("--resume", options->resume,
                 "Go on with what FILE.journal has, if there is one (default: no)")
      ->disable_flag_override();
  CLI::Option* list =
      command
          ->add_flag("--list", options->list, "Print the points and simulate nothing (default: no)")
          ->disable_flag_override();
  CLI::Option* only = add_value(
      *command, "--only", "K/N",
      "Simulate the K-th of N shares of the points: each N-th one, from the K-th on "
      "(default: 1/1)",
      [options = options.get()](const std::string& text) { options->share = parse_share(text); });
  command
      ->add_option("--merge", options->merge,
                   "Simulate nothing: put the results of all shares, in one FILE each, together; "
                   "may be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->excludes(list)
      ->excludes(only)
      ->excludes(command->get_option("--resume"));
  command->footer(
      "Example:\n"
      "  layerpipe sweep sweep.yaml --output results.csv --jobs 4");
  return {command, [options](process::Provenance provenance) {
            return sweep(*options, std::move(provenance));
          }};
}

}  // namespace layerpipe::cli
