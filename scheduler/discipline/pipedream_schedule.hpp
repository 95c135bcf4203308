#pragma once

#include <string>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"

namespace layerpipe::discipline {

/// PipeDream's asynchronous 1F1B (Narayanan et al., SOSP 2019) on whole-layer stages: the backward
/// pass of a stage is one operation whose gradient leaves at its end; stage s of p executes p-1-s
/// forward passes, then a forward and a backward pass in turn, so that p-s minibatches are in
/// flight and weights are S(l) = p-1-s minibatches stale. `stage_of_layer[l]` is the stage, and the
/// processor, of layer l: never decreasing, none left out.
[[nodiscard]] contract::Schedule pipedream_schedule(
    const std::string& name, const costs::Profile& profile,
    const std::vector<costs::ProcessorId>& stage_of_layer, std::size_t processors);

}  // namespace layerpipe::discipline
