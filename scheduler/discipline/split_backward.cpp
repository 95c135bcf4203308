#include "scheduler/discipline/split_backward.hpp"

#include "scheduler/costs/split.hpp"
#include "scheduler/discipline/value_flow.hpp"
#include "scheduler/discipline/whole_backward.hpp"

namespace layerpipe::discipline {

namespace {

using contract::InputKind;
using contract::OpId;
using contract::Payload;
using contract::TensorClass;
using costs::OpKind;

class SplitBackward {
 public:
  SplitBackward(contract::ScheduleBuilder& builder, const costs::Profile& profile,
                const placement::Allocation& allocation, std::size_t micro_batches,
                const std::vector<std::size_t>& updating, const WholeStages& whole)
      : builder_(builder),
        profile_(profile),
        allocation_(allocation),
        staleness_(staleness(allocation.delays, processors(allocation))),
        updating_(updating),
        whole_(whole),
        ops_(micro_batches, std::vector<LayerOps>(profile.layers.size())) {}

  SplitOps add() && {
    for (std::size_t j = 0; j < ops_.size(); ++j) add_micro_batch(j);
    for (std::size_t l = 0; l < profile_.layers.size(); ++l) {
      for (std::size_t j = 0; j < ops_.size(); ++j) connect_weightless_backward(j, l);
      connect_update(l);
    }
    builder_.set_split(allocation_.split);
    return std::move(ops_);
  }

 private:
  void add_micro_batch(std::size_t j) {
    builder_.begin_micro_batch(j);
    for (const Stage& stage : whole_[j]) add_whole(j, stage);
    std::vector<OpId> forward;
    for (std::size_t l = 0; l < profile_.layers.size(); ++l) {
      LayerOps& ops = ops_[j][l];
      ops.forward = add(OpKind::forward, l, 1.0, profile_.layers[l].forward_cycles,
                        allocation_.layers[l].processor);
      forward.push_back(ops.forward);
      if (ops.whole) continue;
      add_backward(l, ops);
      if (updating_[l] == j) builder_.add_update(ops.weight_gradient);
    }
    connect_activations(builder_, profile_, forward);
    connect_gradients(builder_, profile_, allocation_, ops_[j]);
  }

  OpId add(OpKind kind, std::size_t layer, double fraction, std::int64_t cycles,
           costs::ProcessorId processor) {
    return builder_.add({{{kind, layer, fraction, cycles}}, processor});
  }

  void add_whole(std::size_t j, const Stage& stage) {
    const OpId whole = builder_.add(backward_of(profile_, stage));
    for (std::size_t l = stage.first; l <= stage.last; ++l) {
      ops_[j][l].whole = whole;
      ops_[j][l].weight_gradient = whole;
    }
    if (updating_[stage.first] == j) builder_.add_update(whole);
  }

  void add_backward(std::size_t l, LayerOps& ops) {
    const costs::LayerProfile& layer = profile_.layers[l];
    const placement::Placement& placement = allocation_.layers[l];
    const double borrowed = borrowed_fraction(placement);
    if (layer.has_input_gradient && borrowed < 1.0) {
      ops.kept = add(OpKind::input_gradient, l, 1.0 - borrowed,
                     kept_cycles(layer, allocation_.split, borrowed), placement.processor);
    }
    for (const placement::BorrowedPart& part : placement.borrowed) {
      ops.borrowed.push_back(
          add(OpKind::input_gradient, l, part.fraction, part.cycles, part.processor));
    }
    ops.weight_gradient =
        add(OpKind::weight_gradient, l, 1.0, layer.weight_gradient_cycles, placement.processor);
  }

  /// Who borrows runs the backward pass of the weightless layers behind layer l too, and gets what
  /// it lacks for them from the layer's own processor.
  void connect_weightless_backward(std::size_t j, std::size_t l) {
    builder_.begin_micro_batch(j);
    for (const OpId part : ops_[j][l].borrowed) {
      const std::int64_t bytes =
          lacking_weightless_bytes(profile_, allocation_, l, builder_.op(part).processor);
      if (bytes == 0) continue;
      const contract::Source source =
          builder_.send({{ops_[j][l].forward}}, builder_.op(part).processor,
                        {TensorClass::additional_gradients, bytes, l});
      builder_.connect(source, part, InputKind::gradient);
    }
  }

  void connect_update(std::size_t l) {
    builder_.begin_micro_batch(0);
    const std::int64_t tokens = staleness_[l] + 1;
    const OpId update = ops_[updating_[l]][l].weight_gradient;
    for (const std::vector<LayerOps>& ops : ops_) {
      builder_.connect({update}, ops[l].forward, InputKind::weight_version, tokens);
      if (ops[l].kept) {
        builder_.connect({update}, *ops[l].kept, InputKind::weight_version, tokens);
      }
    }
    const std::vector<std::int64_t> bytes = borrowed_weight_bytes(
        allocation_.layers[l], profile_.layers[l].weight_bytes, allocation_.split);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const contract::Source source =
          builder_.send({{update}}, builder_.op(ops_[0][l].borrowed[i]).processor,
                        {TensorClass::additional_weights, bytes[i], l});
      for (const std::vector<LayerOps>& ops : ops_) {
        builder_.connect(source, ops[l].borrowed[i], InputKind::weights, tokens);
      }
    }
  }

  contract::ScheduleBuilder& builder_;
  const costs::Profile& profile_;
  const placement::Allocation& allocation_;
  const placement::Staleness staleness_;
  const std::vector<std::size_t>& updating_;
  const WholeStages& whole_;
  SplitOps ops_;
};

}  // namespace

SplitOps add_split_backward(contract::ScheduleBuilder& builder, const costs::Profile& profile,
                            const placement::Allocation& allocation, std::size_t micro_batches,
                            const std::vector<std::size_t>& updating, const WholeStages& whole) {
  return SplitBackward(builder, profile, allocation, micro_batches, updating, whole).add();
}

}  // namespace layerpipe::discipline
