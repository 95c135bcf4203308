#include "scheduler/placement/delays.hpp"

#include <fmt/format.h>

#include "workloads/base/error.hpp"

namespace layerpipe::placement {

std::string_view to_string(DelayRule rule) { return rule == DelayRule::stages_after ? "S" : "2S"; }

Staleness staleness(const Delays& delays, const std::vector<std::size_t>& stage_of_layer) {
  if (const auto* given = std::get_if<Staleness>(&delays)) {
    if (given->size() == stage_of_layer.size()) return *given;
    throw UsageError(fmt::format(
        "delays: {} given (expected {}, one for each layer with weights in order of execution)",
        given->size(), stage_of_layer.size()));
  }
  const std::int64_t per_stage = std::get<DelayRule>(delays) == DelayRule::stages_after ? 1 : 2;
  Staleness result;
  for (const std::size_t stage : stage_of_layer) {
    result.push_back(per_stage * static_cast<std::int64_t>(stage_of_layer.back() - stage));
  }
  return result;
}

}  // namespace layerpipe::placement
