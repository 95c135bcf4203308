#include "scheduler/placement/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "scheduler/placement/pipedream.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::placement {

namespace {

std::int64_t cycles(const costs::LayerProfile& layer) {
  return layer.forward_cycles + layer.input_gradient_cycles + layer.weight_gradient_cycles;
}

/// Before which layer to cut the slowest stage that has two layers or more, so that the slower half
/// is as fast as it can be.
std::size_t best_cut(const costs::Profile& profile,
                     const std::vector<std::size_t>& stage_of_layer) {
  std::vector<std::int64_t> cycles_before{0};
  for (const costs::LayerProfile& layer : profile.layers) {
    cycles_before.push_back(cycles_before.back() + cycles(layer));
  }
  std::int64_t slowest = -1;
  std::size_t cut = 0;
  for (std::size_t begin = 0; begin < stage_of_layer.size();) {
    std::size_t end = begin;
    while (end < stage_of_layer.size() && stage_of_layer[end] == stage_of_layer[begin]) ++end;
    const std::int64_t whole = cycles_before[end] - cycles_before[begin];
    std::int64_t best = whole + 1;
    for (std::size_t l = begin + 1; whole > slowest && l < end; ++l) {
      const std::int64_t slower =
          std::max(cycles_before[l] - cycles_before[begin], cycles_before[end] - cycles_before[l]);
      if (slower < best) {
        best = slower;
        cut = l;
      }
    }
    if (best <= whole) slowest = whole;
    begin = end;
  }
  return cut;
}

/// No stage gets longer. Precondition: there are as many layers.
std::vector<std::size_t> with_more_stages(const costs::Profile& profile,
                                          std::vector<std::size_t> stage_of_layer,
                                          std::size_t stages) {
  while (stage_of_layer.back() + 1 < stages) {
    for (std::size_t l = best_cut(profile, stage_of_layer); l < stage_of_layer.size(); ++l) {
      ++stage_of_layer[l];
    }
  }
  return stage_of_layer;
}

}  // namespace

std::vector<std::size_t> even_stages(std::size_t layers, std::size_t stages) {
  if (layers < stages) {
    throw InfeasibleError(
        fmt::format("{} layers with weights do not make {} stages (expected "
                    "fewer processors, chunks or stages)",
                    layers, stages));
  }
  std::vector<std::size_t> stage_of_layer;
  for (std::size_t s = 0; s < stages; ++s) {
    const std::size_t end = (s + 1) * layers / stages;
    stage_of_layer.resize(end, s);
  }
  return stage_of_layer;
}

std::vector<std::size_t> whole_layer_stages(const costs::Profile& profile,
                                            const machine::Machine& machine, std::size_t stages,
                                            PlacementRule rule) {
  if (rule == PlacementRule::even) return even_stages(profile.layers.size(), stages);
  if (rule != PlacementRule::whole) {
    throw InfeasibleError(
        fmt::format("placement {} has one stage on each processor, and lends (expected whole "
                    "or even where there are chunks, or stages of a file)",
                    to_string(rule)));
  }
  if (profile.layers.size() < stages) return even_stages(profile.layers.size(), stages);
  machine::Machine of_stages = machine;
  of_stages.processors.resize(stages);
  return with_more_stages(
      profile, pipedream_partition(profile, of_stages, PartitionObjective::compute), stages);
}

std::vector<std::size_t> chunked_stages(const costs::Profile& profile,
                                        const machine::Machine& machine, std::size_t chunks,
                                        PlacementRule rule) {
  return whole_layer_stages(profile, machine, chunks * machine.processors.size(), rule);
}

}  // namespace layerpipe::placement
