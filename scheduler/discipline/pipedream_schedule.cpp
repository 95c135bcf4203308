#include "scheduler/discipline/pipedream_schedule.hpp"

#include "scheduler/discipline/lower.hpp"

namespace layerpipe::discipline {

contract::Schedule pipedream_schedule(const std::string& name, const costs::Profile& profile,
                                      const std::vector<costs::ProcessorId>& stage_of_layer,
                                      std::size_t processors) {
  Pipeline pipeline{.name = name,
                    .stages = stages_of(stage_of_layer),
                    .processors = processors,
                    .staleness = {},
                    .program = {}};
  for (std::size_t s = 0; s < pipeline.stages.size(); ++s) {
    const auto stages_after = static_cast<std::int64_t>(pipeline.stages.size() - 1 - s);
    pipeline.staleness.push_back(stages_after);
    pipeline.program.push_back(
        {{ActionKind::forward, s, 0, 0}, {ActionKind::backward, s, 0, stages_after}});
  }
  return lower_whole(profile, pipeline);
}

}  // namespace layerpipe::discipline
