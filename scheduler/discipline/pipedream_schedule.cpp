#include "scheduler/discipline/pipedream_schedule.hpp"

#include <set>
#include <utility>

#include "scheduler/contract/schedule_builder.hpp"
#include "scheduler/discipline/value_flow.hpp"
#include "scheduler/placement/allocation.hpp"

namespace layerpipe::discipline {

namespace {

/// Layers first..last (both included) of one stage.
struct Stage {
  std::size_t first = 0;
  std::size_t last = 0;
};

std::vector<Stage> stages_of(const std::vector<costs::ProcessorId>& stage_of_layer) {
  std::vector<Stage> stages(stage_of_layer.back() + 1);
  for (std::size_t l = stage_of_layer.size(); l-- > 0;) stages[stage_of_layer[l]].first = l;
  for (std::size_t l = 0; l < stage_of_layer.size(); ++l) stages[stage_of_layer[l]].last = l;
  return stages;
}

contract::Op whole_backward(const costs::Profile& profile, const Stage& stage,
                            costs::ProcessorId processor) {
  contract::Op backward;
  backward.processor = processor;
  for (std::size_t l = stage.last + 1; l-- > stage.first;) {
    const costs::LayerProfile& layer = profile.layers[l];
    if (layer.has_input_gradient) {
      backward.parts.push_back(
          {costs::OpKind::input_gradient, l, 1.0, layer.input_gradient_cycles});
    }
    backward.parts.push_back(
        {costs::OpKind::weight_gradient, l, 1.0, layer.weight_gradient_cycles});
  }
  return backward;
}

/// Round k: forward of minibatch k, backward of minibatch k - stages_after.
contract::StaticOrder one_forward_one_backward(const Stage& stage,
                                               const std::vector<contract::OpId>& forward,
                                               contract::OpId backward, std::int64_t stages_after) {
  contract::StaticOrder order;
  for (std::size_t l = stage.first; l <= stage.last; ++l) order.entries.push_back({forward[l], 0});
  order.entries.push_back({backward, stages_after});
  return order;
}

/// Backward passes that follow a forward pass of their own stage.
void connect_losses(contract::ScheduleBuilder& builder, const costs::Profile& profile,
                    const std::vector<contract::OpId>& forward,
                    const std::vector<contract::OpId>& backward) {
  for (std::size_t l = 0; l < profile.layers.size(); ++l) {
    if (!profile.layers[l].has_loss) continue;
    builder.connect({forward[l]}, backward[builder.op(forward[l]).processor],
                    contract::InputKind::activation);
  }
}

/// The gradient at value `v`, from the stages that use it to the one that adds it up within its own
/// backward pass, and from there to the stage of the value.
void connect_gradient(contract::ScheduleBuilder& builder, const costs::Profile& profile,
                      std::size_t v, const std::vector<costs::ProcessorId>& stage_of_layer,
                      const std::vector<contract::OpId>& backward) {
  const costs::Value& value = profile.values[v];
  const contract::Payload payload{contract::TensorClass::mandatory, value.gradient_bytes,
                                  value.layer, v};
  const auto bring = [&](costs::ProcessorId from, costs::ProcessorId to) {
    if (from == to) return;
    builder.connect(builder.send({{backward[from]}}, to, payload), backward[to],
                    contract::InputKind::gradient);
  };
  const costs::ProcessorId summing = placement::summing_processor(value, stage_of_layer);
  std::set<costs::ProcessorId> users;
  for (const costs::Value::Use& use : value.uses) users.insert(stage_of_layer[use.layer]);
  for (const costs::ProcessorId user : users) bring(user, summing);
  bring(summing, stage_of_layer[value.layer]);
}

}  // namespace

contract::Schedule pipedream_schedule(const std::string& name, const costs::Profile& profile,
                                      const std::vector<costs::ProcessorId>& stage_of_layer,
                                      std::size_t processors) {
  const std::vector<Stage> stages = stages_of(stage_of_layer);
  contract::ScheduleBuilder builder(name, profile, stages.size(), processors);
  std::vector<contract::OpId> forward;
  for (std::size_t l = 0; l < profile.layers.size(); ++l) {
    const contract::OpPart part{costs::OpKind::forward, l, 1.0, profile.layers[l].forward_cycles};
    forward.push_back(builder.add({{part}, stage_of_layer[l]}));
  }
  connect_activations(builder, profile, forward);
  std::vector<contract::OpId> backward;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    backward.push_back(builder.add(whole_backward(profile, stages[s], s)));
    builder.add_update(backward[s]);
  }
  connect_losses(builder, profile, forward, backward);
  for (std::size_t v = 0; v < profile.values.size(); ++v) {
    connect_gradient(builder, profile, v, stage_of_layer, backward);
  }
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto stages_after = static_cast<std::int64_t>(stages.size() - 1 - s);
    for (std::size_t l = stages[s].first; l <= stages[s].last; ++l) {
      builder.connect({backward[s]}, forward[l], contract::InputKind::weight_version,
                      stages_after + 1);
    }
    builder.set_order(s, one_forward_one_backward(stages[s], forward, backward[s], stages_after));
  }
  return std::move(builder).build();
}

}  // namespace layerpipe::discipline
