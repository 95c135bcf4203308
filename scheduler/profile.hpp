#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/input_gradient_parts.hpp"
#include "platforms/machine.hpp"
#include "workloads/network.hpp"

namespace layerpipe::scheduler {

/// What one layer with a GEMM, and the weightless layers that travel with it, cost on a machine for
/// one minibatch. The group's output is what crosses a stage boundary behind it.
struct LayerProfile {
  std::string name;
  std::int64_t forward_cycles = 0;
  std::int64_t input_gradient_cycles = 0;
  std::int64_t weight_gradient_cycles = 0;
  bool has_input_gradient = true;            ///< false for the first layer, unless asked for
  std::int64_t weight_bytes = 0;             ///< without bias: what a lent input gradient needs
  std::int64_t output_activation_bytes = 0;  ///< of the group's output
  std::int64_t output_gradient_bytes = 0;    ///< of the gradient at the group's output
  /// What the processor of the next layer lacks to run the backward pass of this group's weightless
  /// layers: max-pool indices, relu masks before an average pool, normalised inputs of batchnorms.
  std::int64_t weightless_backward_bytes = 0;
  /// The first layer that uses the group's output. The input gradient can be lent only where that
  /// one lies on the processor of the next layer. None: it cannot be lent.
  std::optional<std::size_t> lender;
  /// What parts of the input gradient cost. None: costs are given for the whole.
  std::optional<platforms::InputGradientGemms> input_gradient_gemms;
};

/// The layers with a GEMM, in order of execution, of one network on one machine.
struct Profile {
  std::vector<LayerProfile> layers;
};

struct ProfileOptions {
  bool first_input_gradient = false;  ///< the first layer computes its input gradient as well
};

/// Throws InfeasibleError if an operation or the whole takes more cycles than the simulation can
/// count exactly.
[[nodiscard]] Profile profile(const platforms::Machine& machine, const workloads::Network& network,
                              const ProfileOptions& options = {});

/// Cycles of all operations of a minibatch: the period of one processor.
[[nodiscard]] std::int64_t total_cycles(const Profile& profile);

}  // namespace layerpipe::scheduler
