#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platforms/machine/topology.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/destination.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/scheduling_options.hpp"
#include "sim/cli/shipped_files.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/report/contents.hpp"
#include "sim/report/list_report.hpp"
#include "workloads/base/text.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::cli {
namespace {

using Json = nlohmann::ordered_json;

Json platform_entry(const std::filesystem::path& file) {
  return Json::parse(engine::inspect_machine(file.string(), [](const machine::Machine& machine) {
    Json entry = report::contents(machine);
    const auto topology = machine::find_topology(machine);
    entry["topology"] = topology ? Json(to_string(*topology)) : Json(nullptr);
    return entry.dump(-1, ' ', false, Json::error_handler_t::replace);
  }));
}

process::InputFile digested(const std::filesystem::path& file) {
  constexpr std::size_t largest = std::size_t{1} << 30;
  return process::input_file_of(file.stem().string(), base::read_file(file.string(), largest));
}

/// The shipped platforms, those with few processors first.
std::vector<Json> platform_entries(const std::vector<std::filesystem::path>& files) {
  std::vector<Json> entries;
  for (const auto& file : files) entries.push_back(platform_entry(file));
  std::ranges::stable_sort(
      entries, {}, [](const Json& entry) { return entry.at("processors").get<std::size_t>(); });
  return entries;
}

int list(const OutputOptions& options, process::Provenance provenance) {
  Destination destination(options);
  report::ListReport report;
  for (const scheduler::Scheduler& scheduler : scheduler::schedulers()) {
    report.add_schedule(scheduler.name, scheduler.summary);
  }
  for (const auto& file : shipped_files(data_folder(), shipped_workloads)) {
    provenance.inputs.push_back(digested(file));
    Json entry = report::contents(read::read_network(file.string()));
    entry["name"] = file.stem().string();
    report.add(entry);
  }
  const auto platforms = shipped_files(data_folder(), shipped_platforms);
  for (const auto& file : platforms) provenance.inputs.push_back(digested(file));
  for (const Json& entry : platform_entries(platforms)) report.add(entry);
  destination.write(render(report, options.format, provenance), provenance);
  return 0;
}

}  // namespace

Command add_list(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "list", "Name the schedules, and the workloads and platforms that come with the program");
  const auto options = std::make_shared<OutputOptions>();
  add_output_options(*command, *options);
  command->footer(
      "Example:\n"
      "  layerpipe list --format json");
  return {command, [options](process::Provenance provenance) {
            return list(*options, std::move(provenance));
          }};
}

}  // namespace layerpipe::cli
