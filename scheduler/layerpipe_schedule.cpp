#include "scheduler/layerpipe_schedule.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "scheduler/chain_payloads.hpp"
#include "scheduler/schedule_builder.hpp"
#include "scheduler/split.hpp"

namespace layerpipe::scheduler {

namespace {

struct LayerOps {
  OpId forward = 0;
  std::optional<OpId> kept;  ///< delta'
  std::optional<OpId> lent;  ///< delta''
  OpId weight_gradient = 0;
};

/// Builds the graph layer by layer. The minibatch's edges have no tokens; the only delays are those
/// of the updates, M(l) + 1 = 2 S(l) + 1.
class LayerPipeGraph {
 public:
  LayerPipeGraph(const std::string& name, const Profile& profile, const Allocation& allocation,
                 std::size_t processors)
      : profile_(profile),
        allocation_(allocation),
        builder_(name, profile, allocation.stages(), processors) {}

  Schedule build() && {
    for (std::size_t l = 0; l < profile_.layers.size(); ++l) ops_.push_back(add_ops(l));
    for (std::size_t l = 0; l < profile_.layers.size(); ++l) {
      connect_forward(l);
      connect_gradient(l);
      connect_weightless_backward(l);
      connect_update(l);
    }
    for (ProcessorId p = 0; p < allocation_.stages(); ++p) builder_.set_order(p, priorities(p));
    builder_.set_split(allocation_.split);
    return std::move(builder_).build();
  }

 private:
  [[nodiscard]] std::size_t last() const { return profile_.layers.size() - 1; }

  OpId add(OpKind kind, std::size_t layer, double fraction, std::int64_t cycles,
           ProcessorId processor) {
    return builder_.add({{{kind, layer, fraction, cycles}}, processor});
  }

  LayerOps add_ops(std::size_t l) {
    const LayerProfile& layer = profile_.layers[l];
    const Placement& placement = allocation_.layers[l];
    LayerOps ops;
    ops.forward = add(OpKind::forward, l, 1.0, layer.forward_cycles, placement.processor);
    if (layer.has_input_gradient && placement.lent_fraction < 1.0) {
      ops.kept =
          add(OpKind::input_gradient, l, 1.0 - placement.lent_fraction,
              kept_cycles(layer, allocation_.split, placement.lent_fraction), placement.processor);
    }
    if (placement.lent_fraction > 0.0) {
      ops.lent = add(OpKind::input_gradient, l, placement.lent_fraction, placement.lent_cycles,
                     allocation_.layers[l + 1].processor);
    }
    ops.weight_gradient =
        add(OpKind::weight_gradient, l, 1.0, layer.weight_gradient_cycles, placement.processor);
    builder_.add_update(ops.weight_gradient);
    return ops;
  }

  /// Whatever computes with the gradient at the output of layer `l`.
  [[nodiscard]] std::vector<OpId> gradient_consumers(std::size_t l) const {
    std::vector<OpId> consumers;
    if (ops_[l].kept) consumers.push_back(*ops_[l].kept);
    if (ops_[l].lent) consumers.push_back(*ops_[l].lent);
    consumers.push_back(ops_[l].weight_gradient);
    return consumers;
  }

  void connect_forward(std::size_t l) {
    const Payload activation = activation_payload(profile_, l);
    if (l < last()) {
      builder_.connect(ops_[l].forward, ops_[l + 1].forward, activation);
    } else {
      for (const OpId consumer : gradient_consumers(l)) {
        builder_.connect(ops_[l].forward, consumer, activation);
      }
    }
  }

  /// From the parts of delta(l + 1) to all that works on the gradient at the output of layer l.
  /// A whole-layer pipeline moves it only from the processor of layer l + 1 to that of layer l, and
  /// only across a boundary; the rest is additional.
  void connect_gradient(std::size_t l) {
    if (l == last()) return;
    const std::int64_t all = profile_.layers[l].output_gradient_bytes;
    const std::int64_t lent = lent_bytes(allocation_.layers[l + 1].lent_fraction, all);
    const LayerOps& next = ops_[l + 1];
    for (const OpId consumer : gradient_consumers(l)) {
      if (next.kept) connect_share(l, *next.kept, consumer, all - lent);
      if (next.lent) connect_share(l, *next.lent, consumer, lent);
    }
  }

  void connect_share(std::size_t l, OpId from, OpId to, std::int64_t bytes) {
    const ProcessorId home = allocation_.layers[l].processor;
    const bool crosses_boundary = home != allocation_.layers[l + 1].processor;
    const bool is_mandatory = crosses_boundary && builder_.op(to).processor == home;
    builder_.connect(
        from, to,
        gradient_payload(
            l, bytes, is_mandatory ? TensorClass::mandatory : TensorClass::additional_gradients));
  }

  /// The lender runs the backward pass of the weightless layers behind layer l too, and gets what
  /// it lacks for them from the layer's own processor.
  void connect_weightless_backward(std::size_t l) {
    const std::int64_t bytes = profile_.layers[l].weightless_backward_bytes;
    if (!ops_[l].lent || bytes == 0) return;
    builder_.connect(ops_[l].forward, *ops_[l].lent,
                     gradient_payload(l, bytes, TensorClass::additional_gradients));
  }

  void connect_update(std::size_t l) {
    const Placement& placement = allocation_.layers[l];
    const auto stages_after =
        static_cast<std::int64_t>(allocation_.stages() - 1 - placement.processor);
    const std::int64_t tokens = 2 * stages_after + 1;
    const OpId update = ops_[l].weight_gradient;
    builder_.connect(update, ops_[l].forward, update_payload(l), tokens);
    if (ops_[l].kept) builder_.connect(update, *ops_[l].kept, update_payload(l), tokens);
    if (ops_[l].lent) {
      const Payload weights{InputKind::weights, TensorClass::additional_weights,
                            lent_weight_bytes(placement.lent_fraction,
                                              profile_.layers[l].weight_bytes, allocation_.split),
                            l};
      builder_.connect(update, *ops_[l].lent, weights, tokens);
    }
  }

  [[nodiscard]] PriorityOrder priorities(ProcessorId processor) const {
    PriorityOrder order;
    const auto append = [&](std::optional<OpId> op, int urgency) {
      if (op && builder_.op(*op).processor == processor) order.entries.push_back({*op, urgency});
    };
    for (auto ops = ops_.rbegin(); ops != ops_.rend(); ++ops) {
      append(ops->kept, 0);
      append(ops->lent, 0);
      append(ops->forward, 1);
      append(ops->weight_gradient, 2);
    }
    std::stable_sort(order.entries.begin(), order.entries.end(),
                     [](const auto& a, const auto& b) { return a.urgency < b.urgency; });
    return order;
  }

  const Profile& profile_;
  const Allocation& allocation_;
  ScheduleBuilder builder_;
  std::vector<LayerOps> ops_;
};

}  // namespace

Schedule layerpipe_schedule(const std::string& name, const Profile& profile,
                            const Allocation& allocation, std::size_t processors) {
  return LayerPipeGraph(name, profile, allocation, processors).build();
}

}  // namespace layerpipe::scheduler
