#include "scheduler/discipline/whole_backward.hpp"

#include <set>

#include "scheduler/discipline/value_flow.hpp"

namespace layerpipe::discipline {

namespace {

using contract::InputKind;
using contract::OpId;
using costs::OpKind;

class WholeBackward {
 public:
  WholeBackward(contract::ScheduleBuilder& builder, const costs::Profile& profile,
                const std::vector<Stage>& stages)
      : builder_(builder), profile_(profile), stages_(stages) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      stage_of_layer_.resize(stages[s].last + 1, s);
    }
  }

  WholeOps add(std::size_t micro_batch, const std::vector<std::size_t>& updating) {
    builder_.begin_micro_batch(micro_batch);
    WholeOps ops;
    for (std::size_t l = 0; l < profile_.layers.size(); ++l) {
      const contract::OpPart part{OpKind::forward, l, 1.0, profile_.layers[l].forward_cycles};
      ops.forward.push_back(builder_.add({{part}, stages_[stage_of_layer_[l]].processor}));
    }
    connect_activations(builder_, profile_, ops.forward);
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      ops.backward.push_back(builder_.add(backward_of(profile_, stages_[s])));
      if (updating[s] == micro_batch) builder_.add_update(ops.backward.back());
    }
    connect_losses(ops);
    for (std::size_t v = 0; v < profile_.values.size(); ++v) connect_gradient(v, ops.backward);
    return ops;
  }

 private:
  /// Backward passes that follow a forward pass of their own stage.
  void connect_losses(const WholeOps& ops) {
    for (std::size_t l = 0; l < profile_.layers.size(); ++l) {
      if (!profile_.layers[l].has_loss) continue;
      builder_.connect({ops.forward[l]}, ops.backward[stage_of_layer_[l]], InputKind::activation);
    }
  }

  /// The gradient at value `v`, from the stages that use it to the one that adds it up within its
  /// own backward pass, and from there to the stage of the value.
  void connect_gradient(std::size_t v, const std::vector<OpId>& backward) {
    const costs::Value& value = profile_.values[v];
    const std::size_t own = stage_of_layer_[value.layer];
    const std::size_t summing = value.used_within ? own : stage_of_layer_[value.uses.front().layer];
    std::set<std::size_t> users;
    for (const costs::Value::Use& use : value.uses) users.insert(stage_of_layer_[use.layer]);
    for (const std::size_t user : users) bring(v, backward[user], backward[summing]);
    bring(v, backward[summing], backward[own]);
  }

  void bring(std::size_t v, OpId from, OpId to) {
    if (from == to) return;
    const costs::Value& value = profile_.values[v];
    const costs::ProcessorId destination = builder_.op(to).processor;
    contract::Source source{from};
    if (builder_.op(from).processor != destination) {
      source =
          builder_.send({source}, destination,
                        {contract::TensorClass::mandatory, value.gradient_bytes, value.layer, v});
    }
    builder_.connect(source, to, InputKind::gradient);
  }

  contract::ScheduleBuilder& builder_;
  const costs::Profile& profile_;
  const std::vector<Stage>& stages_;
  std::vector<std::size_t> stage_of_layer_;
};

}  // namespace

contract::Op backward_of(const costs::Profile& profile, const Stage& stage) {
  contract::Op backward;
  backward.processor = stage.processor;
  for (std::size_t l = stage.last + 1; l-- > stage.first;) {
    const costs::LayerProfile& layer = profile.layers[l];
    if (layer.has_input_gradient) {
      backward.parts.push_back({OpKind::input_gradient, l, 1.0, layer.input_gradient_cycles});
    }
    backward.parts.push_back({OpKind::weight_gradient, l, 1.0, layer.weight_gradient_cycles});
  }
  return backward;
}

std::vector<WholeOps> add_whole_backward(contract::ScheduleBuilder& builder,
                                         const costs::Profile& profile,
                                         const std::vector<Stage>& stages,
                                         std::size_t micro_batches,
                                         const std::vector<std::size_t>& updating,
                                         const std::vector<std::int64_t>& staleness) {
  WholeBackward graph(builder, profile, stages);
  std::vector<WholeOps> ops;
  for (std::size_t j = 0; j < micro_batches; ++j) ops.push_back(graph.add(j, updating));
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const OpId update = ops[updating[s]].backward[s];
    for (const WholeOps& of_micro_batch : ops) {
      for (std::size_t l = stages[s].first; l <= stages[s].last; ++l) {
        builder.connect({update}, of_micro_batch.forward[l], InputKind::weight_version,
                        staleness[s] + 1);
      }
    }
  }
  return ops;
}

}  // namespace layerpipe::discipline
