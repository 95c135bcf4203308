#include "scheduler/profile.hpp"

#include <fmt/format.h>

#include <span>

#include "workloads/base/error.hpp"

namespace layerpipe::scheduler {

namespace {

using workloads::Layer;
using workloads::LayerType;
using workloads::Network;

constexpr std::int64_t bytes_per_mask_or_index = 1;

/// A pool over single elements: its output is its input.
bool is_identity(const Layer& pool) {
  const workloads::Extent& kernel = pool.window.kernel;
  return pool.input == pool.output &&
         (pool.type == LayerType::adaptive_avgpool2d || (kernel.height == 1 && kernel.width == 1));
}

/// Going backward from the next layer's input, which the lender has: the sign of a relu's input is
/// known as long as its output can be told from that input; an average pool loses it.
std::int64_t weightless_backward_bytes(const Network& network, std::span<const Layer> followers) {
  std::int64_t bytes = 0;
  bool signs_known = true;
  for (auto layer = followers.rbegin(); layer != followers.rend(); ++layer) {
    const std::int64_t elements = layer->output.elements() * network.batch;
    switch (layer->type) {
      case LayerType::maxpool2d:
        bytes += elements * bytes_per_mask_or_index;
        break;
      case LayerType::relu:
        if (!signs_known) bytes += elements * bytes_per_mask_or_index;
        signs_known = true;
        break;
      case LayerType::batchnorm2d:
        bytes += elements * network.element_bytes.activation;
        signs_known = true;
        break;
      case LayerType::avgpool2d:
      case LayerType::adaptive_avgpool2d:
        signs_known = signs_known && is_identity(*layer);
        break;
      default:
        break;
    }
  }
  return bytes;
}

/// The layers with a GEMM and behind each the weightless ones that travel with it. Weightless
/// layers before the first GEMM travel with the input and cost nothing.
std::vector<std::span<const Layer>> groups(const Network& network) {
  const std::span<const Layer> layers(network.layers);
  std::vector<std::span<const Layer>> result;
  for (std::size_t begin = 0; begin < layers.size();) {
    std::size_t end = begin + 1;
    while (end < layers.size() && !has_gemm(layers[end])) ++end;
    if (has_gemm(layers[begin])) result.push_back(layers.subspan(begin, end - begin));
    begin = end;
  }
  return result;
}

LayerProfile profile_group(const platforms::Machine& machine, const Network& network,
                           std::span<const Layer> group) {
  const Layer& layer = group.front();
  const Layer& last = group.back();
  const platforms::TrainingCycles cycles =
      training_cycles(machine.array, machine.clock_hertz, layer, network.batch);
  LayerProfile profile;
  profile.name = layer.name;
  profile.forward_cycles = cycles.forward;
  profile.input_gradient_cycles = cycles.input_gradient;
  profile.weight_gradient_cycles = cycles.weight_gradient;
  profile.weight_bytes = weight_bytes(network, layer);
  profile.output_activation_bytes = activation_bytes(network, last);
  profile.output_gradient_bytes = gradient_bytes(network, last);
  profile.weightless_backward_bytes = weightless_backward_bytes(network, group.subspan(1));
  profile.input_gradient_gemms = input_gradient_gemms(machine.array, layer, network.batch);
  return profile;
}

}  // namespace

Profile profile(const platforms::Machine& machine, const Network& network,
                const ProfileOptions& options) {
  Profile profile;
  for (const std::span<const Layer> group : groups(network)) {
    profile.layers.push_back(profile_group(machine, network, group));
  }
  if (profile.layers.empty()) {
    throw InputError(
        fmt::format("{}: no layer with a GEMM (expected a conv2d, linear or measured "
                    "layer)",
                    network.name));
  }
  for (std::size_t l = 0; l + 1 < profile.layers.size(); ++l) profile.layers[l].lender = l + 1;
  LayerProfile& first = profile.layers.front();
  first.has_input_gradient = options.first_input_gradient;
  if (!first.has_input_gradient) first.input_gradient_cycles = 0;
  static_cast<void>(total_cycles(profile));
  return profile;
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

}  // namespace layerpipe::scheduler
