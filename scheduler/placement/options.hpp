#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "scheduler/costs/split.hpp"
#include "scheduler/placement/delays.hpp"
#include "scheduler/placement/priority.hpp"

namespace layerpipe::placement {

/// What PipeDream's partition makes small.
enum class PartitionObjective {
  communication,  ///< the slowest of every stage's cycles and every boundary's transfer cycles
  compute,        ///< the slowest stage's cycles alone
};

[[nodiscard]] std::string_view to_string(PartitionObjective objective);

/// How a synchronous schedule places layers.
enum class PlacementRule {
  whole,              ///< PipeDream's best stages of whole layers
  even,               ///< as many layers on each processor, to one
  layerpipe,          ///< Algorithm 1: parts of input gradients are borrowed
  layerpipe_optimal,  ///< the same with the least possible slowest processor
};

inline constexpr std::array all_placement_rules{PlacementRule::whole, PlacementRule::even,
                                                PlacementRule::layerpipe,
                                                PlacementRule::layerpipe_optimal};

/// "whole", "even", "layerpipe" or "layerpipe-optimal".
[[nodiscard]] std::string_view to_string(PlacementRule rule);

/// Every scheduler reads the options that concern it.
struct SchedulerOptions {
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  PartitionObjective objective = PartitionObjective::communication;
  double alpha = 1.001;  ///< factor by which LayerPipe's target grows when a walk fails; above 1
  /// An input gradient may be lent only if lending all of it moves at most this many bytes of
  /// weights per minibatch,
  std::int64_t max_lent_weight_bytes = unlimited;
  /// and at most this many bytes altogether: weights, gradient at the layer's input, and what the
  /// weightless layers behind it need.
  std::int64_t max_lent_bytes = unlimited;
  costs::Split split = costs::Split::ideal;  ///< what lent parts of input gradients are made of
  /// How stale updates are; without, the scheduler's own: 2 S(l) of LayerPipe, or what a given
  /// allocation says.
  std::optional<Delays> delays = std::nullopt;
  /// What comes first on a processor; without, the scheduler's own, or what a given allocation
  /// says.
  std::optional<Priority> priority = std::nullopt;
  /// Equal slices of a minibatch; without, those of `default_micro_batches`.
  std::optional<std::int64_t> micro_batches = std::nullopt;
  std::int64_t chunks = 2;  ///< stages of each processor, of schedules that have several
  PlacementRule placement = PlacementRule::whole;
};

}  // namespace layerpipe::placement
