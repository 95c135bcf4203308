#include "scheduler/contract/layer_delays.hpp"

#include "scheduler/contract/allocation_of.hpp"
#include "scheduler/placement/allocation.hpp"
#include "scheduler/placement/delays.hpp"

namespace layerpipe::contract {

std::vector<LayerDelays> layer_delays(const Schedule& schedule) {
  const std::vector<costs::ProcessorId> stages = processors(allocation_of(schedule));
  const placement::Staleness staleness_of_layer = staleness(allocation_of(schedule).delays, stages);
  std::vector<LayerDelays> result;
  for (std::size_t l = 0; l < stages.size(); ++l) {
    const std::int64_t versions = staleness_of_layer[l] + 1;
    result.push_back({l, stages[l], staleness_of_layer[l], versions, versions});
  }
  return result;
}

}  // namespace layerpipe::contract
