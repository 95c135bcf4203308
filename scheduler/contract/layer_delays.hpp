#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"

namespace layerpipe::contract {

/// What the delays of a pipelined graph mean for one layer.
struct LayerDelays {
  std::size_t layer = 0;
  std::size_t stage = 0;
  std::int64_t staleness = 0;  ///< M(l): updates that the weights used by FP(l) lack
  std::int64_t weight_versions = 0;
  std::int64_t activation_versions = 0;  ///< of its input, from FP(l) to G(l)
};

/// Of every layer of a schedule, from the tokens on the edge by which FP(l) waits for an update: a
/// token for each version of the weights, and for each minibatch that may be between FP(l) and
/// G(l).
[[nodiscard]] std::vector<LayerDelays> layer_delays(const Schedule& schedule);

}  // namespace layerpipe::contract
