#include "scheduler/placement/options.hpp"

#include "workloads/base/error.hpp"

namespace layerpipe::placement {

std::string_view to_string(PartitionObjective objective) {
  return objective == PartitionObjective::compute ? "compute" : "communication";
}

std::string_view to_string(PlacementRule rule) {
  switch (rule) {
    case PlacementRule::whole:
      return "whole";
    case PlacementRule::even:
      return "even";
    case PlacementRule::layerpipe:
      return "layerpipe";
    case PlacementRule::layerpipe_optimal:
      return "layerpipe-optimal";
  }
  throw InternalError("unknown rule of placement");
}

}  // namespace layerpipe::placement
