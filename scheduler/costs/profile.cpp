#include "scheduler/costs/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "scheduler/costs/layer_groups.hpp"
#include "scheduler/costs/weightless_backward.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::costs {

namespace {

using network::Layer;
using network::Network;

std::int64_t input_gradient_bytes(const Network& network, const LayerGroups& groups,
                                  const Layer& layer) {
  std::int64_t bytes = 0;
  for (const std::size_t input : layer.inputs) {
    const bool is_computed =
        input != Layer::network_input && groups.of_layer[input] != LayerGroups::none;
    if (is_computed) bytes += gradient_bytes(network, network.layers[input]);
  }
  return bytes;
}

bool takes_network_input_alone(const LayerGroups& groups, const Layer& layer) {
  return std::all_of(layer.inputs.begin(), layer.inputs.end(), [&](std::size_t input) {
    return input == Layer::network_input || groups.of_layer[input] == LayerGroups::none;
  });
}

void add_parameters(const Network& network, const LayerGroup& group, LayerProfile& profile) {
  const auto add = [&](std::size_t place) {
    const Layer& layer = network.layers[place];
    profile.parameter_bytes += parameter_bytes(network, layer);
    profile.parameter_gradient_bytes += parameter_gradient_bytes(network, layer);
  };
  add(group.gemm);
  for (const std::size_t follower : group.followers) add(follower);
}

/// To the nearest whole number.
std::int64_t part_of(std::int64_t whole, std::int64_t parts) {
  return whole / parts + (2 * (whole % parts) >= parts ? 1 : 0);
}

std::string divisors(std::int64_t number) {
  std::vector<std::int64_t> result;
  for (std::int64_t d = 1; d <= number / d; ++d) {
    if (number % d == 0) result.push_back(d);
  }
  for (std::size_t i = result.size(); i-- > 0;) {
    if (number / result[i] != result[i]) result.push_back(number / result[i]);
  }
  return fmt::format("{}", fmt::join(result, ", "));
}

Network slice_of(Network network, std::int64_t micro_batches) {
  if (micro_batches < 1 || network.batch % micro_batches != 0) {
    throw InfeasibleError(
        fmt::format("{}: a batch of {} is not divided into {} micro-batches (expected one of {})",
                    network.name, network.batch, micro_batches, divisors(network.batch)));
  }
  network.batch /= micro_batches;
  for (Layer& layer : network.layers) {
    layer.measured.activation_bytes = part_of(layer.measured.activation_bytes, micro_batches);
  }
  return network;
}

/// Of a `measured` layer the costs are of the whole batch.
array::TrainingCycles slice_cycles(const machine::Machine& machine, const Layer& layer,
                                   std::int64_t samples, std::int64_t micro_batches) {
  const array::TrainingCycles cycles =
      training_cycles(machine.array, machine.clock_hertz, layer, samples);
  if (layer.type != network::LayerType::measured) return cycles;
  return {part_of(cycles.forward, micro_batches), part_of(cycles.input_gradient, micro_batches),
          part_of(cycles.weight_gradient, micro_batches)};
}

LayerProfile profile_layer(const machine::Machine& machine, const Network& network,
                           const LayerGroups& groups, std::size_t place,
                           const ProfileOptions& options) {
  const Layer& layer = network.layers[place];
  const array::TrainingCycles cycles =
      slice_cycles(machine, layer, network.batch, options.micro_batches);
  LayerProfile profile;
  profile.name = layer.name;
  profile.forward_cycles = cycles.forward;
  profile.has_input_gradient =
      options.first_input_gradient || !takes_network_input_alone(groups, layer);
  profile.input_gradient_cycles = profile.has_input_gradient ? cycles.input_gradient : 0;
  profile.weight_gradient_cycles = cycles.weight_gradient;
  profile.weight_bytes = weight_bytes(network, layer);
  profile.input_gradient_bytes = input_gradient_bytes(network, groups, layer);
  add_parameters(network, groups.groups[groups.of_layer[place]], profile);
  profile.input_gradient_gemms = input_gradient_gemms(machine.array, layer, network.batch);
  return profile;
}

/// What nobody uses is an output of the network.
void mark_losses(const Network& network, const LayerGroups& groups, Profile& profile) {
  std::vector<bool> is_used(network.layers.size(), false);
  for (const Layer& layer : network.layers) {
    for (const std::size_t input : layer.inputs) {
      if (input != Layer::network_input) is_used[input] = true;
    }
  }
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    const std::size_t group = groups.of_layer[i];
    if (is_used[i] || group == LayerGroups::none) continue;
    profile.layers[group].has_loss = true;
    profile.layers[group].loss_gradient_bytes += gradient_bytes(network, network.layers[i]);
  }
}

void add_values(const Network& network, const LayerGroups& groups, Profile& profile) {
  const std::vector<GroupOutput> outputs = group_outputs(network, groups);
  std::vector<std::set<std::size_t>> places(groups.groups.size());
  for (const GroupOutput& output : outputs) places[output.value.layer].insert(output.layer);
  std::vector<WeightlessBackward> needs;
  for (std::size_t l = 0; l < places.size(); ++l) {
    needs.push_back(weightless_backward(network, groups.groups[l], places[l]));
    profile.layers[l].kept_weightless_bytes = needs[l].bytes;
  }
  for (const GroupOutput& output : outputs) {
    const Layer& layer = network.layers[output.layer];
    Value& value = profile.values.emplace_back(output.value);
    value.activation_bytes = activation_bytes(network, layer);
    value.gradient_bytes = gradient_bytes(network, layer);
    value.shows_signs = needs[value.layer].read_outputs.contains(output.layer);
    LayerProfile& source = profile.layers[value.layer];
    if (places[value.layer].size() > 1 || source.has_loss) continue;
    source.borrower = value.uses.front().layer;
    source.weightless_backward_bytes = source.kept_weightless_bytes;
    source.weightless_apart_bytes =
        weightless_backward(network, groups.groups[value.layer], {}).bytes;
  }
}

/// Each input once, however many layers take it.
void add_network_inputs(const Network& network, const LayerGroups& groups, Profile& profile) {
  std::map<std::size_t, NetworkInput> inputs;  // [place]
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (groups.of_layer[i] == LayerGroups::none) continue;
    for (const std::size_t input : network.layers[i].inputs) {
      const bool is_computed =
          input != Layer::network_input && groups.of_layer[input] != LayerGroups::none;
      if (is_computed) continue;
      add_use(inputs[input].uses, groups.of_layer[i], has_gemm(network.layers[i]));
    }
  }
  for (auto& [place, input] : inputs) {
    input.bytes = place == Layer::network_input ? input_bytes(network)
                                                : activation_bytes(network, network.layers[place]);
    profile.network_inputs.push_back(std::move(input));
  }
}

}  // namespace

Profile profile(const machine::Machine& machine, const Network& whole,
                const ProfileOptions& options) {
  const Network network = slice_of(whole, options.micro_batches);
  const LayerGroups groups = layer_groups(network);
  if (groups.groups.empty()) {
    throw InputError(
        fmt::format("{}: no layer with a GEMM (expected a conv2d, conv_transpose2d, linear or "
                    "measured layer)",
                    network.name));
  }
  Profile profile;
  for (const LayerGroup& group : groups.groups) {
    profile.layers.push_back(profile_layer(machine, network, groups, group.gemm, options));
  }
  mark_losses(network, groups, profile);
  add_values(network, groups, profile);
  add_network_inputs(network, groups, profile);
  static_cast<void>(total_cycles(profile));
  return profile;
}

std::size_t summands(const Value& value) {
  std::size_t count = 0;
  for (const Value::Use& use : value.uses) {
    count += (use.by_gemm ? 1U : 0U) + (use.by_others ? 1U : 0U);
  }
  return count;
}

std::vector<Boundary> boundaries(const Profile& profile) {
  std::vector<Boundary> result(profile.layers.size());
  std::vector<Boundary> ends(profile.layers.size() + 1);
  for (const Value& value : profile.values) {
    Boundary& first = result[value.layer + 1];
    Boundary& after_last = ends[value.uses.back().layer + 1];
    first.activation_bytes += value.activation_bytes;
    first.gradient_bytes += value.gradient_bytes;
    after_last.activation_bytes += value.activation_bytes;
    after_last.gradient_bytes += value.gradient_bytes;
  }
  for (std::size_t l = 1; l < result.size(); ++l) {
    result[l].activation_bytes += result[l - 1].activation_bytes - ends[l].activation_bytes;
    result[l].gradient_bytes += result[l - 1].gradient_bytes - ends[l].gradient_bytes;
  }
  return result;
}

std::int64_t total_cycles(const Profile& profile) {
  constexpr std::int64_t limit = 100'000'000'000'000;
  std::int64_t total = 0;
  for (const LayerProfile& layer : profile.layers) {
    for (const std::int64_t cycles :
         {layer.forward_cycles, layer.input_gradient_cycles, layer.weight_gradient_cycles}) {
      total += cycles;
      if (cycles > limit || total > limit) {
        throw InfeasibleError(fmt::format(
            "layer {}: a minibatch takes more than 10^14 cycles, the most that can be simulated "
            "exactly (use a smaller batch or a larger array)",
            layer.name));
      }
    }
  }
  return total;
}

}  // namespace layerpipe::costs
