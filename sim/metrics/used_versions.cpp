#include "sim/metrics/used_versions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/contract/layer_delays.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::metrics {

using contract::Edge;
using contract::InputKind;
using contract::OpId;
using costs::OpKind;

UsedVersions::UsedVersions(const contract::Schedule& schedule)
    : schedule_(schedule),
      used_by_(schedule.ops.size()),
      ended_(schedule.ops.size(), 0),
      arrived_(schedule.tensors.size(), 0),
      layers_(schedule.layer_names.size()) {
  for (const Edge& edge : schedule.edges) {
    if (edge.input != InputKind::weight_version && edge.input != InputKind::weights) continue;
    used_by_[edge.to].push_back({edge.from, edge.tensor, edge.tokens});
  }
}

void UsedVersions::record(const events::Event& event) {
  switch (event.kind) {
    case events::EventKind::operation_started:
      for (const Weights& weights : used_by_[event.id]) count(event.id, event.minibatch, weights);
      break;
    case events::EventKind::operation_ended:
      ++ended_[event.id];
      break;
    case events::EventKind::transfer_ended:
      ++arrived_[event.id];
      break;
    case events::EventKind::transfer_queued:
    case events::EventKind::transfer_started:
    case events::EventKind::sum_completed:
      break;
  }
}

void UsedVersions::count(OpId op, std::int64_t minibatch, const Weights& weights) {
  const std::int64_t there =
      weights.tensor == Edge::no_tensor ? ended_[weights.update] : arrived_[weights.tensor];
  const std::int64_t updates = std::max<std::int64_t>(0, minibatch - weights.tokens + 1);
  if (there < updates) {
    throw InternalError(
        fmt::format("schedule {}: {} of minibatch {} started with {} updates, expected {}",
                    schedule_.name, describe(schedule_, op), minibatch, there, updates));
  }
  const contract::OpPart& part = schedule_.ops[op].parts.front();
  Missing& most = layers_[part.layer];
  const bool is_forward = part.kind == OpKind::forward;
  std::int64_t& missing = is_forward ? most.in_forward : most.in_backward;
  missing = std::max(missing, minibatch - updates);
  if (is_forward) most.pending = std::max(most.pending, minibatch - ended_[weights.update]);
}

void UsedVersions::check(std::int64_t minibatches) const {
  for (const contract::LayerDelays& planned : layer_delays(schedule_)) {
    const std::int64_t due = std::min(planned.staleness, minibatches - 1);
    const Missing& found = layers_[planned.layer];
    if (found.in_forward == due && (found.in_backward == due || found.in_backward == 0)) continue;
    throw InternalError(fmt::format(
        "schedule {}: the weights of {} lack {} updates forward and {} backward, expected {}",
        schedule_.name, schedule_.layer_names[planned.layer], found.in_forward, found.in_backward,
        due));
  }
}

}  // namespace layerpipe::metrics
