#include "scheduler/discipline/layerpipe_schedule.hpp"

#include <algorithm>
#include <vector>

#include "scheduler/contract/schedule_builder.hpp"
#include "scheduler/costs/split.hpp"
#include "scheduler/discipline/gradient_flow.hpp"
#include "scheduler/discipline/value_flow.hpp"
#include "scheduler/theory/critical_weight_gradients.hpp"

namespace layerpipe::discipline {

namespace {

/// Builds the graph layer by layer. The minibatch's edges have no tokens; the only delays are those
/// of the updates, M(l) + 1.
class LayerPipeGraph {
 public:
  LayerPipeGraph(const std::string& name, const costs::Profile& profile,
                 const placement::Allocation& allocation, std::size_t processors)
      : profile_(profile),
        allocation_(allocation),
        staleness_(staleness(allocation.delays, placement::processors(allocation))),
        builder_(name, profile, allocation.stages(), processors) {}

  contract::Schedule build() && {
    std::vector<contract::OpId> forward;
    for (std::size_t l = 0; l < profile_.layers.size(); ++l) {
      ops_.push_back(add_ops(l));
      forward.push_back(ops_.back().forward);
    }
    connect_activations(builder_, profile_, forward);
    connect_gradients(builder_, profile_, allocation_, ops_);
    for (std::size_t l = 0; l < profile_.layers.size(); ++l) {
      connect_weightless_backward(l);
      connect_update(l);
    }
    const std::vector<bool> is_critical = allocation_.priority == placement::Priority::critical_loop
                                              ? theory::weight_gradients_on_critical_loop(profile_)
                                              : std::vector<bool>(profile_.layers.size(), false);
    for (costs::ProcessorId p = 0; p < allocation_.stages(); ++p) {
      builder_.set_order(p, priorities(p, is_critical));
    }
    builder_.set_split(allocation_.split);
    return std::move(builder_).build();
  }

 private:
  contract::OpId add(costs::OpKind kind, std::size_t layer, double fraction, std::int64_t cycles,
                     costs::ProcessorId processor) {
    return builder_.add({{{kind, layer, fraction, cycles}}, processor});
  }

  LayerOps add_ops(std::size_t l) {
    const costs::LayerProfile& layer = profile_.layers[l];
    const placement::Placement& placement = allocation_.layers[l];
    LayerOps ops;
    ops.forward = add(costs::OpKind::forward, l, 1.0, layer.forward_cycles, placement.processor);
    const double borrowed = borrowed_fraction(placement);
    if (layer.has_input_gradient && borrowed < 1.0) {
      ops.kept = add(costs::OpKind::input_gradient, l, 1.0 - borrowed,
                     kept_cycles(layer, allocation_.split, borrowed), placement.processor);
    }
    for (const placement::BorrowedPart& part : placement.borrowed) {
      ops.borrowed.push_back(
          add(costs::OpKind::input_gradient, l, part.fraction, part.cycles, part.processor));
    }
    ops.weight_gradient = add(costs::OpKind::weight_gradient, l, 1.0, layer.weight_gradient_cycles,
                              placement.processor);
    builder_.add_update(ops.weight_gradient);
    return ops;
  }

  /// Who borrows runs the backward pass of the weightless layers behind layer l too, and gets what
  /// it lacks for them from the layer's own processor.
  void connect_weightless_backward(std::size_t l) {
    for (const contract::OpId part : ops_[l].borrowed) {
      const std::int64_t bytes =
          lacking_weightless_bytes(profile_, allocation_, l, builder_.op(part).processor);
      if (bytes == 0) continue;
      bring(part, ops_[l].forward, contract::InputKind::gradient,
            {contract::TensorClass::additional_gradients, bytes, l});
    }
  }

  void connect_update(std::size_t l) {
    const placement::Placement& placement = allocation_.layers[l];
    const std::int64_t tokens = staleness_[l] + 1;
    const contract::OpId update = ops_[l].weight_gradient;
    builder_.connect({update}, ops_[l].forward, contract::InputKind::weight_version, tokens);
    if (ops_[l].kept)
      builder_.connect({update}, *ops_[l].kept, contract::InputKind::weight_version, tokens);
    const std::vector<std::int64_t> bytes =
        borrowed_weight_bytes(placement, profile_.layers[l].weight_bytes, allocation_.split);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bring(ops_[l].borrowed[i], update, contract::InputKind::weights,
            {contract::TensorClass::additional_weights, bytes[i], l}, tokens);
    }
  }

  /// Brings what a borrowed part needs to its processor.
  void bring(contract::OpId part, contract::OpId from, contract::InputKind input,
             const contract::Payload& payload, std::int64_t tokens = 0) {
    const contract::Source source = builder_.send({{from}}, builder_.op(part).processor, payload);
    builder_.connect(source, part, input, tokens);
  }

  /// Weight gradients that are critical are as urgent as input gradients.
  [[nodiscard]] contract::PriorityOrder priorities(costs::ProcessorId processor,
                                                   const std::vector<bool>& is_critical) const {
    contract::PriorityOrder order;
    const auto append = [&](contract::OpId op, int urgency) {
      if (builder_.op(op).processor == processor) order.entries.push_back({op, urgency});
    };
    for (std::size_t l = ops_.size(); l-- > 0;) {
      if (ops_[l].kept) append(*ops_[l].kept, 0);
      for (const contract::OpId part : ops_[l].borrowed) append(part, 0);
      append(ops_[l].forward, 1);
      append(ops_[l].weight_gradient, is_critical[l] ? 0 : 2);
    }
    std::stable_sort(order.entries.begin(), order.entries.end(),
                     [](const auto& a, const auto& b) { return a.urgency < b.urgency; });
    return order;
  }

  const costs::Profile& profile_;
  const placement::Allocation& allocation_;
  const placement::Staleness staleness_;
  contract::ScheduleBuilder builder_;
  std::vector<LayerOps> ops_;
};

}  // namespace

contract::Schedule layerpipe_schedule(const std::string& name, const costs::Profile& profile,
                                      const placement::Allocation& allocation,
                                      std::size_t processors) {
  return LayerPipeGraph(name, profile, allocation, processors).build();
}

}  // namespace layerpipe::discipline
