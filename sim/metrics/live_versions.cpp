#include "sim/metrics/live_versions.hpp"

#include <algorithm>

#include "scheduler/theory/retiming.hpp"

namespace layerpipe::sim {

using scheduler::OpId;
using scheduler::OpKind;
using scheduler::OpPart;

LiveVersions::LiveVersions(const scheduler::Schedule& schedule)
    : schedule_(schedule),
      layers_(schedule.layer_names.size()),
      started_(schedule.ops.size(), 0),
      ended_(schedule.ops.size(), 0) {
  const auto delays = layer_delays(schedule);
  for (std::size_t l = 0; l < layers_.size(); ++l) layers_[l].staleness = delays[l].staleness;
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    for (const OpPart& part : schedule.ops[op].parts) {
      Layer& layer = layers_[part.layer];
      if (part.kind == OpKind::forward) layer.forward = op;
      if (part.kind == OpKind::weight_gradient) layer.weight_gradient = op;
      const bool is_lent = schedule.ops[op].processor != delays[part.layer].stage;
      if (!is_lent) layer.users.push_back(op);
    }
  }
}

void LiveVersions::record(const Event& event) {
  const bool starts = event.kind == EventKind::operation_started;
  if (!starts && event.kind != EventKind::operation_ended) return;
  ++(starts ? started_ : ended_)[event.id];
  for (const OpPart& part : schedule_.ops[event.id].parts) {
    if (starts) {
      count_activations(layers_[part.layer]);
    } else {
      count_weights(layers_[part.layer]);
    }
  }
}

void LiveVersions::count_activations(Layer& layer) const {
  const std::int64_t alive = started_[layer.forward] - ended_[layer.weight_gradient];
  layer.most.activations = std::max(layer.most.activations, alive);
}

void LiveVersions::count_weights(Layer& layer) const {
  std::int64_t oldest = ended_[layer.forward];
  for (const OpId op : layer.users) oldest = std::min(oldest, ended_[op]);
  const std::int64_t oldest_version = std::max<std::int64_t>(0, oldest - layer.staleness);
  const std::int64_t alive = ended_[layer.weight_gradient] - oldest_version + 1;
  layer.most.weights = std::max(layer.most.weights, alive);
}

}  // namespace layerpipe::sim
