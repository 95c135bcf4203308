#pragma once

#include "platforms/machine.hpp"
#include "scheduler/profile.hpp"
#include "sim/cli/options.hpp"
#include "workloads/network.hpp"

namespace layerpipe::sim::cli {

/// What the input options name.
struct Inputs {
  platforms::Machine machine;
  workloads::Network network;
  scheduler::Profile profile;
};

/// Loads the platform in this process, which can be done once. Throws InputError and
/// InfeasibleError.
[[nodiscard]] Inputs load(const InputOptions& options);

}  // namespace layerpipe::sim::cli
