#include "sim/cli/inputs.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "sim/cli/shipped_files.hpp"
#include "sim/engine/load_machine.hpp"
#include "workloads/read_network.hpp"

namespace layerpipe::sim::cli {

std::string platform_file(const InputOptions& options) {
  return input_file(data_folder(), std::array{shipped_platforms}, options.platform);
}

std::string workload_file(const InputOptions& options) {
  return input_file(data_folder(), std::array{shipped_workloads}, options.workload);
}

Inputs load(const InputOptions& options) {
  platforms::Machine machine = load_machine(platform_file(options), options.machine);
  workloads::Network network = workloads::read_network(workload_file(options), options.batch);
  if (options.processors) {
    machine = first_processors(std::move(machine), static_cast<std::size_t>(*options.processors));
  }
  scheduler::Profile profile = scheduler::profile(machine, network, {options.first_input_gradient});
  return {std::move(machine), std::move(network), std::move(profile), options.first_input_gradient,
          options.machine};
}

}  // namespace layerpipe::sim::cli
