#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <type_traits>

#include "platforms/file/generate.hpp"
#include "platforms/file/platform_file.hpp"
#include "sim/options/values.hpp"
#include "sim/sweep/spec.hpp"
#include "workloads/base/strict_yaml.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::sweep {
namespace {

using base::in_quotes;
using base::YamlMapping;
using base::YamlValue;

constexpr std::array<std::string_view, 9> machine_keys{
    "arrays",         "dataflow", "weight_gradient_dataflow",
    "input_gradient", "clock",    "bandwidths",
    "latency",        "topology", "platforms"};

constexpr std::array<std::string_view, 8> other_keys{"workloads", "processors", "batches",
                                                     "schedules", "splits",     "iterations",
                                                     "until",     "tolerance"};

/// parse(text of `value`), with position and key in front of its error.
template <typename Parse>
auto parsed(const YamlValue& value, Parse parse) {
  const std::string_view word = value.word();
  try {
    return parse(word);
  } catch (const InputError& error) {
    value.fail(fmt::format("{}: {}", value.key(), error.what()));
  }
}

/// A value, or the items of a list of them.
std::vector<YamlValue> one_or_more(const YamlValue& value) {
  if (!value.is_list()) return {value};
  std::vector<YamlValue> items = value.items("a list");
  if (items.empty()) value.fail(fmt::format("{} is an empty list (expected an item)", value.key()));
  return items;
}

/// Values that `read` takes from `value`, all different.
template <typename Read>
auto read_list(const YamlValue& value, Read read) {
  std::vector<std::invoke_result_t<Read, const YamlValue&>> result;
  for (const YamlValue& item : one_or_more(value)) {
    auto next = read(item);
    if (std::ranges::find(result, next) != result.end()) {
      item.fail(fmt::format("{}: {} is there twice (expected each once)", item.key(),
                            in_quotes(item.word())));
    }
    result.push_back(std::move(next));
  }
  return result;
}

/// Puts the values of the key into `values`, if it is there.
template <typename Values, typename Read>
void replace(Values& values, const YamlMapping& root, std::string_view key, Read read) {
  const auto value = root.find(key);
  if (!value) return;
  const auto list = read_list(*value, read);
  values.assign(list.begin(), list.end());
}

template <typename Parse>
auto by(Parse parse) {
  return [parse](const YamlValue& value) { return parsed(value, parse); };
}

auto whole_number(const base::Range& range) {
  return [range](const YamlValue& value) { return value.whole_number(range); };
}

/// The file that `value` names.
std::string read_file_name(const YamlValue& value,
                           const std::function<std::string(const std::string&)>& find) {
  constexpr std::size_t longest = 4096;
  const std::string name = value.text(longest);
  return parsed(value, [&](std::string_view) { return find(name); });
}

/// Rows of two files with one name could not be told apart.
template <typename File>
void add(std::vector<File>& files, File file, const YamlValue& value) {
  const auto same = std::ranges::find(files, file.name, &File::name);
  if (same != files.end()) {
    value.fail(fmt::format("{}: {} is named {}, as {} is (expected names that differ)", value.key(),
                           in_quotes(file.file), in_quotes(file.name), in_quotes(same->file)));
  }
  files.push_back(std::move(file));
}

std::vector<SweepWorkload> read_workloads(const YamlValue& list, const SpecFiles& files,
                                          std::vector<process::InputFile>& inputs) {
  std::vector<SweepWorkload> result;
  for (const YamlValue& value : one_or_more(list)) {
    SweepWorkload workload;
    workload.file = read_file_name(value, files.workload);
    workload.text = base::read_file(workload.file, base::YamlLimits::bytes);
    const network::Network network = read::parse_network(workload.text, workload.file);
    workload.name = network.name;
    workload.batch = network.batch;
    inputs.push_back(process::input_file_of(std::string(value.word()), workload.text));
    add(result, std::move(workload), value);
  }
  return result;
}

std::vector<SweepPlatform> read_platforms(const YamlValue& list, const SpecFiles& files,
                                          std::vector<process::InputFile>& inputs) {
  std::vector<SweepPlatform> result;
  for (const YamlValue& value : one_or_more(list)) {
    SweepPlatform platform;
    platform.file = read_file_name(value, files.platform);
    platform.name = std::filesystem::path(platform.file).stem().string();
    const file::PlatformFile content = file::read_platform_file(platform.file);
    platform.array = content.array;
    platform.processors = static_cast<std::int64_t>(content.hosts.size());
    inputs.push_back(
        process::input_file_of(std::string(value.word()), file::read_platform_text(platform.file)));
    add(result, std::move(platform), value);
  }
  return result;
}

/// Throws InputError if the key with `value` is there, but nothing to simulate depends on it.
void require_reader(const std::optional<YamlValue>& value, scheduler::SchedulerOption option,
                    const std::vector<const scheduler::Scheduler*>& schedulers) {
  const std::string problem = scheduler::misuse(option, schedulers);
  if (value && !problem.empty()) value->fail(fmt::format("{}: {}", value->key(), problem));
}

/// Everything that the spec may leave out.
SweepSpec defaults() {
  const file::PlatformSpec platform;
  SweepSpec spec;
  spec.arrays = {{}};
  spec.dataflows = {platform.array.dataflow};
  spec.weight_gradient_dataflows = {std::nullopt};
  spec.input_gradients = {platform.array.input_gradient};
  spec.clocks_hertz = {platform.clock_hertz};
  spec.bandwidths = {platform.link_bytes_per_second};
  spec.latencies = {platform.link_latency_seconds};
  spec.topologies = {platform.topology};
  spec.processors = {std::nullopt};
  spec.batches = {std::nullopt};
  spec.splits = {placement::SchedulerOptions().split};
  return spec;
}

/// Platforms to be generated.
void read_generated(const YamlMapping& root, SweepSpec& spec) {
  replace(spec.arrays, root, "arrays", by(options::parse_array));
  replace(spec.dataflows, root, "dataflow", by(options::parse_dataflow));
  replace(spec.weight_gradient_dataflows, root, "weight_gradient_dataflow",
          by(options::parse_dataflow));
  replace(spec.input_gradients, root, "input_gradient", by(options::parse_input_gradient));
  replace(spec.clocks_hertz, root, "clock", by(base::parse_frequency));
  replace(spec.bandwidths, root, "bandwidths", by(base::parse_bandwidth));
  replace(spec.latencies, root, "latency", by(base::parse_seconds));
  replace(spec.topologies, root, "topology", by(options::parse_topology));
}

void read_machines(const YamlMapping& root, const SpecFiles& files, SweepSpec& spec) {
  const auto list = root.find("platforms");
  if (list.has_value() == root.has("arrays")) {
    root.fail("expected one of the keys 'platforms' and 'arrays'");
  }
  if (!list) {
    static_cast<void>(root.at("processors"));
    return read_generated(root, spec);
  }
  for (const std::string_view key : machine_keys) {
    const auto value = root.find(key);
    if (!value || key == "platforms") continue;
    value->fail(fmt::format(
        "{} has no meaning for platforms from files (expected it with 'arrays' only)", key));
  }
  spec.platforms = read_platforms(*list, files, spec.inputs);
}

/// How long runs are.
void read_length(const YamlMapping& root, SweepSpec& spec) {
  const auto until = root.find("until");
  spec.until_steady = until ? parsed(*until, options::parse_until_steady) : !root.has("iterations");
  spec.iterations = {spec.until_steady ? run::most_until_steady : run::iterations_by_default};
  replace(spec.iterations, root, "iterations", whole_number(options::iteration_range));
  const auto tolerance = root.find("tolerance");
  if (!tolerance) return;
  if (!spec.until_steady) {
    tolerance->fail("tolerance has no meaning here (expected it with 'until: steady' only)");
  }
  spec.tolerance = parsed(*tolerance, options::parse_tolerance);
}

}  // namespace

SweepSpec read_spec(const std::string& path, const SpecFiles& files) {
  return parse_spec(base::read_file(path, base::YamlLimits::bytes), base::shown_path(path), files);
}

SweepSpec parse_spec(std::string_view text, const std::string& file, const SpecFiles& files) {
  const base::YamlDocument document(text, file);
  const YamlMapping root = YamlValue(document).mapping("the file");
  std::vector<std::string_view> known(other_keys.begin(), other_keys.end());
  known.insert(known.end(), machine_keys.begin(), machine_keys.end());
  root.allow_only(known);

  SweepSpec spec = defaults();
  spec.file = file;
  spec.inputs.push_back(process::input_file_of(file, text));
  const YamlValue workloads = root.at("workloads");
  spec.schedulers = read_list(root.at("schedules"), by(options::parse_scheduler));
  replace(spec.processors, root, "processors", whole_number(options::processor_range));
  replace(spec.batches, root, "batches", whole_number(options::batch_range));
  replace(spec.splits, root, "splits", by(options::parse_split));
  require_reader(root.find("splits"), scheduler::SchedulerOption::split, spec.schedulers);
  read_length(root, spec);
  read_machines(root, files, spec);
  spec.workloads = read_workloads(workloads, files, spec.inputs);
  return spec;
}

}  // namespace layerpipe::sweep
