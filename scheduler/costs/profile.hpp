#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/array/input_gradient_parts.hpp"
#include "platforms/machine/machine.hpp"
#include "workloads/network/network.hpp"

namespace layerpipe::costs {

/// What one layer with a GEMM, and the weightless layers that travel with it, its group, cost on a
/// machine for one minibatch.
struct LayerProfile {
  std::string name;
  std::int64_t forward_cycles = 0;
  std::int64_t input_gradient_cycles = 0;
  std::int64_t weight_gradient_cycles = 0;
  bool has_input_gradient = true;             ///< false for the first layer, unless asked for
  std::int64_t weight_bytes = 0;              ///< without bias: what a lent input gradient needs
  std::int64_t input_gradient_bytes = 0;      ///< of the gradient at the inputs of the layer itself
  std::int64_t parameter_bytes = 0;           ///< of the group: weights, biases, batchnorms
  std::int64_t parameter_gradient_bytes = 0;  ///< what the group's weight gradient takes
  bool has_loss = false;                      ///< an output of the network is in the group
  std::int64_t loss_gradient_bytes = 0;       ///< of the gradients at such outputs
  /// What the backward pass of the group's weightless layers needs beside signs of its values.
  std::int64_t kept_weightless_bytes = 0;
  /// The first layer that uses the group's output. Its processor adds up the gradient there; if it
  /// is that of the next layer too, a part of this layer's input gradient can be lent to it. None,
  /// it cannot be lent: the group has several outputs, as it has where its own layers use one, too.
  std::optional<std::size_t> borrower;
  /// What the processor of the borrower lacks to run the backward pass of this group's weightless
  /// layers: max-pool indices, relu masks before an average pool, normalised inputs of batchnorms.
  std::int64_t weightless_backward_bytes = 0;
  /// The same of a processor that does not have the group's output either: the signs of relus, too.
  std::int64_t weightless_apart_bytes = 0;
  /// What parts of the input gradient cost. None: costs are given for the whole.
  std::optional<array::InputGradientGemms> input_gradient_gemms;
};

/// A tensor that the group of one layer hands to those of others: a(l), and the gradient there. In
/// a chain it is the output of the last layer of the group.
struct Value {
  struct Use {
    std::size_t layer = 0;   ///< of the group that takes it
    bool by_gemm = true;     ///< the layer itself takes it,
    bool by_others = false;  ///< weightless layers of its group do: an add or a concat
  };

  std::size_t layer = 0;              ///< of the group that computes it
  std::int64_t activation_bytes = 0;  ///< of a minibatch
  std::int64_t gradient_bytes = 0;    ///< of its gradient
  std::vector<Use> uses;              ///< by other groups, at least one, in order of execution
  bool used_within = false;           ///< by weightless layers of its own group, too
  bool shows_signs = false;           ///< relus of its own group read their signs there, backward
};

/// Of the gradient at the value: a layer that takes it contributes one, and so does a group whose
/// weightless layers do.
[[nodiscard]] std::size_t summands(const Value& value);

/// What layers take that no layer with a GEMM has computed: the network's input, or what weightless
/// layers make of it. Whoever uses it has it.
struct NetworkInput {
  std::int64_t bytes = 0;  ///< of a minibatch; 0 for `measured` layers: the file does not say
  std::vector<Value::Use> uses;
};

/// The layers with a GEMM, in order of execution, of one network on one machine, and what passes
/// between them.
struct Profile {
  std::vector<LayerProfile> layers;
  std::vector<Value> values;  ///< by layer
  std::vector<NetworkInput> network_inputs;
};

struct ProfileOptions {
  /// Layers that take the network's input alone compute their input gradients as well.
  bool first_input_gradient = false;
  /// Equal slices of the network's batch, of one of which the profile is: its own GEMMs, and of the
  /// costs of `measured` layers the part, to the nearest cycle and byte.
  std::int64_t micro_batches = 1;
};

/// Throws InfeasibleError if the batch cannot be divided so, or an operation or the whole takes
/// more cycles than the simulation can count exactly.
[[nodiscard]] Profile profile(const machine::Machine& machine, const network::Network& network,
                              const ProfileOptions& options = {});

/// What crosses a stage boundary, each value once.
struct Boundary {
  std::int64_t activation_bytes = 0;  ///< forward
  std::int64_t gradient_bytes = 0;    ///< backward
};

/// [l]: of a boundary before layer l. Nothing crosses that before layer 0.
[[nodiscard]] std::vector<Boundary> boundaries(const Profile& profile);

/// Cycles of all operations of a minibatch: the period of one processor.
[[nodiscard]] std::int64_t total_cycles(const Profile& profile);

}  // namespace layerpipe::costs
