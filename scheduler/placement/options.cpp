#include "scheduler/placement/options.hpp"

namespace layerpipe::placement {

std::string_view to_string(PartitionObjective objective) {
  return objective == PartitionObjective::compute ? "compute" : "communication";
}

}  // namespace layerpipe::placement
