#include "sim/cli/inputs.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "platforms/file/platform_file.hpp"
#include "sim/cli/shipped_files.hpp"
#include "sim/engine/load_machine.hpp"
#include "workloads/base/strict_yaml.hpp"
#include "workloads/base/text.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::cli {

std::string platform_file(const InputOptions& options) {
  return input_file(data_folder(), std::array{shipped_platforms}, options.platform);
}

std::string workload_file(const InputOptions& options) {
  return input_file(data_folder(), std::array{shipped_workloads}, options.workload);
}

Inputs load(const InputOptions& options) {
  const std::string platform = platform_file(options);
  machine::Machine machine = load_machine(platform, options.machine);
  const std::string workload = workload_file(options);
  const std::string text = base::read_file(workload, base::YamlLimits::bytes);
  network::Network network = read::parse_network(text, base::shown_path(workload), options.batch);
  if (options.processors) {
    machine = first_processors(std::move(machine), static_cast<std::size_t>(*options.processors));
  }
  costs::Profile profile = costs::profile(machine, network, {options.first_input_gradient});
  return {.machine = std::move(machine),
          .network = std::move(network),
          .profile = std::move(profile),
          .first_input_gradient = options.first_input_gradient,
          .overrides = options.machine,
          .files = {process::input_file_of(options.platform, file::read_platform_text(platform)),
                    process::input_file_of(options.workload, text)}};
}

}  // namespace layerpipe::cli
