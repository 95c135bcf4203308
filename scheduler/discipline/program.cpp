#include "scheduler/discipline/program.hpp"

namespace layerpipe::discipline {

std::vector<Stage> stages_of(const std::vector<costs::ProcessorId>& processor_of_layer) {
  std::vector<Stage> stages;
  for (std::size_t l = 0; l < processor_of_layer.size(); ++l) {
    const bool is_new = stages.empty() || stages.back().processor != processor_of_layer[l];
    if (is_new) stages.push_back({l, l, processor_of_layer[l]});
    stages.back().last = l;
  }
  return stages;
}

std::vector<Action> in_turn(ActionKind kind, std::size_t stage, std::size_t count) {
  std::vector<Action> actions;
  for (std::size_t j = 0; j < count; ++j) actions.push_back({kind, stage, j});
  return actions;
}

}  // namespace layerpipe::discipline
