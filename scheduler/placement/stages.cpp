#include "scheduler/placement/stages.hpp"

#include <fmt/format.h>

#include "scheduler/placement/pipedream.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::placement {

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
  machine::Machine of_stages = machine;
  of_stages.processors.resize(stages);
  std::vector<std::size_t> result =
      pipedream_partition(profile, of_stages, PartitionObjective::compute);
  if (result.back() + 1 < stages) {
    throw InfeasibleError(fmt::format(
        "the best whole-layer stages are {}, not {} (expected fewer chunks or stages, or "
        "placement even)",
        result.back() + 1, stages));
  }
  return result;
}

std::vector<std::size_t> chunked_stages(const costs::Profile& profile,
                                        const machine::Machine& machine, std::size_t chunks,
                                        PlacementRule rule) {
  return whole_layer_stages(profile, machine, chunks * machine.processors.size(), rule);
}

}  // namespace layerpipe::placement
