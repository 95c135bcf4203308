#pragma once

#include <cstddef>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/costs/ids.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/placement/options.hpp"

namespace layerpipe::placement {

/// [layer]: its stage. `stages` stages of as many layers, to one; the longer ones are spread
/// evenly. Throws InfeasibleError if there are fewer layers.
[[nodiscard]] std::vector<std::size_t> even_stages(std::size_t layers, std::size_t stages);

/// [layer]: its stage, of exactly `stages`. Under PlacementRule::whole the slowest stage is as fast
/// as it can be; where fewer stages would do, the slowest that can be are cut further. Throws
/// InfeasibleError if there are fewer layers, or for a rule that knows one stage a processor alone.
[[nodiscard]] std::vector<std::size_t> whole_layer_stages(const costs::Profile& profile,
                                                          const machine::Machine& machine,
                                                          std::size_t stages, PlacementRule rule);

/// [layer]: its stage, of several on each processor of the machine, exactly `chunks` times as many
/// as processors.
[[nodiscard]] std::vector<std::size_t> chunked_stages(const costs::Profile& profile,
                                                      const machine::Machine& machine,
                                                      std::size_t chunks, PlacementRule rule);

}  // namespace layerpipe::placement
