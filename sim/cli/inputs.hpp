#pragma once

#include <string>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/costs/profile.hpp"
#include "sim/cli/options.hpp"
#include "sim/process/provenance.hpp"
#include "workloads/network/network.hpp"

namespace layerpipe::cli {

/// What the input options name.
struct Inputs {
  machine::Machine machine;
  network::Network network;
  costs::Profile profile;
  bool first_input_gradient = false;      ///< of the profile
  engine::LoadOptions overrides;          ///< what was given instead of the platform's
  std::vector<process::InputFile> files;  ///< platform and workload
};

/// The files that PLATFORM and WORKLOAD mean, which may be names of shipped ones. Throw InputError
/// for a name that nothing has.
[[nodiscard]] std::string platform_file(const InputOptions& options);
[[nodiscard]] std::string workload_file(const InputOptions& options);

/// Loads the platform in this process, which can be done once. Throws InputError and
/// InfeasibleError.
[[nodiscard]] Inputs load(const InputOptions& options);

}  // namespace layerpipe::cli
