#include "scheduler/discipline/gradient_flow.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "scheduler/discipline/value_flow.hpp"
#include "scheduler/placement/allocation.hpp"

namespace layerpipe::discipline {

namespace {

/// What one user of a value contributes to the gradient there, or a part of that, where it is
/// computed.
struct Contribution {
  std::vector<contract::Source> sources;  ///< all on one processor
  double fraction = 1.0;                  ///< of the whole
  std::int64_t bytes = 0;
  costs::ProcessorId processor_of_user = 0;  ///< also where another one computes it
};

/// What one processor sends of the gradient at a value: several contributions are added up.
struct Share {
  std::vector<contract::Source> sources;
  double fraction = 0.0;
  std::int64_t bytes = 0;
  int contributions = 0;  ///< of users; no processor has two parts of one

  void add(const Contribution& part, std::int64_t all_bytes) {
    sources.insert(sources.end(), part.sources.begin(), part.sources.end());
    fraction = std::min(1.0, fraction + part.fraction);
    bytes = std::min(all_bytes, bytes + part.bytes);
    ++contributions;
  }

  [[nodiscard]] bool is_whole() const { return fraction > 1.0 - 1e-9; }
};

/// Where the gradient at a group's output can be had.
struct Gradient {
  std::vector<contract::Source> at_home;                   ///< on the layer's own processor
  std::vector<std::vector<contract::Source>> at_borrower;  ///< for each borrowed part
};

class GradientFlow {
 public:
  GradientFlow(contract::ScheduleBuilder& builder, const costs::Profile& profile,
               const placement::Allocation& allocation, const std::vector<LayerOps>& ops)
      : builder_(builder),
        profile_(profile),
        allocation_(allocation),
        processors_(processors(allocation)),
        ops_(ops),
        at_home_(profile.layers.size()) {}

  /// From the last layer to the first: what a layer's gradient is added up from is there before it.
  void connect() {
    auto last = profile_.values.rbegin();
    for (std::size_t l = profile_.layers.size(); l-- > 0;) {
      const auto first = std::find_if(last, profile_.values.rend(),
                                      [l](const costs::Value& v) { return v.layer != l; });
      connect_layer(l, std::span<const costs::Value>(first.base(), last.base()));
      last = first;
    }
  }

 private:
  void connect_layer(std::size_t l, std::span<const costs::Value> values) {
    if (ops_[l].whole) {
      connect_within_whole(l, values);
      return;
    }
    Gradient gradient;
    gradient.at_borrower.resize(ops_[l].borrowed.size());
    std::int64_t bytes = profile_.layers[l].loss_gradient_bytes;
    if (profile_.layers[l].has_loss) gradient.at_home.push_back({ops_[l].forward});
    for (const costs::Value& value : values) {
      bytes += value.gradient_bytes;
      if (has_single_user(value)) {
        deliver(value, gradient);
      } else {
        add_up(value, gradient);
      }
    }
    const bool loss_alone = values.empty();
    if (!loss_alone && (profile_.layers[l].has_loss || values.size() > 1)) {
      gradient.at_home = {builder_.join(gradient.at_home, {contract::TensorClass::local, bytes, l,
                                                           contract::Tensor::no_value, true})};
    }
    const contract::InputKind kind =
        loss_alone ? contract::InputKind::activation : contract::InputKind::gradient;
    if (ops_[l].kept) connect_all(gradient.at_home, *ops_[l].kept, kind);
    connect_all(gradient.at_home, ops_[l].weight_gradient, kind);
    for (std::size_t i = 0; i < ops_[l].borrowed.size(); ++i) {
      connect_all(gradient.at_borrower[i], ops_[l].borrowed[i], kind);
    }
    at_home_[l] = std::move(gradient.at_home);
  }

  void connect_within_whole(std::size_t l, std::span<const costs::Value> values) {
    const contract::OpId whole = *ops_[l].whole;
    if (profile_.layers[l].has_loss) {
      builder_.connect({ops_[l].forward}, whole, contract::InputKind::activation);
    }
    Gradient gradient;
    for (const costs::Value& value : values) {
      if (has_single_user(value)) {
        deliver(value, gradient);
      } else {
        add_up(value, gradient);
      }
    }
    connect_all(gradient.at_home, whole, contract::InputKind::gradient);
    at_home_[l] = {{whole}};
  }

  static bool has_single_user(const costs::Value& value) {
    return value.uses.size() == 1 && !value.uses.front().by_others && !value.used_within;
  }

  void connect_all(const std::vector<contract::Source>& sources, contract::OpId to,
                   contract::InputKind kind) {
    for (const contract::Source& source : sources) {
      const bool is_within = source.op == to && source.tensor == contract::Edge::no_tensor;
      if (!is_within) builder_.connect(source, to, kind);
    }
  }

  [[nodiscard]] std::vector<Contribution> contributions(const costs::Value& value) const {
    std::vector<Contribution> result;
    for (const costs::Value::Use& use : value.uses) {
      const costs::ProcessorId processor = processors_[use.layer];
      if (ops_[use.layer].whole) {
        add_whole(*ops_[use.layer].whole, value.gradient_bytes, processor, result);
        continue;
      }
      if (use.by_gemm) add_input_gradient(use.layer, value.gradient_bytes, result);
      if (use.by_others) {
        result.push_back({at_home_[use.layer], 1.0, value.gradient_bytes, processor});
      }
    }
    return result;
  }

  /// All users in one backward pass contribute together.
  static void add_whole(contract::OpId whole, std::int64_t bytes, costs::ProcessorId processor,
                        std::vector<Contribution>& list) {
    const bool is_there = std::ranges::any_of(list, [whole](const Contribution& other) {
      const contract::Source& source = other.sources.front();
      return source.op == whole && source.tensor == contract::Edge::no_tensor;
    });
    if (!is_there) list.push_back({{{whole}}, 1.0, bytes, processor});
  }

  void add_input_gradient(std::size_t l, std::int64_t bytes,
                          std::vector<Contribution>& list) const {
    const placement::Placement& placement = allocation_.layers[l];
    const LayerOps& ops = ops_[l];
    const placement::Shares of_bytes = shares(placement, bytes);
    if (ops.kept) {
      list.push_back(
          {{{*ops.kept}}, 1.0 - borrowed_fraction(placement), of_bytes.kept, placement.processor});
    }
    for (std::size_t i = 0; i < ops.borrowed.size(); ++i) {
      list.push_back({{{ops.borrowed[i]}},
                      placement.borrowed[i].fraction,
                      of_bytes.borrowed[i],
                      placement.processor});
    }
  }

  [[nodiscard]] costs::ProcessorId processor(const Contribution& contribution) const {
    return builder_.processor(contribution.sources.front());
  }

  [[nodiscard]] costs::ProcessorId borrower(std::size_t layer, std::size_t part) const {
    return allocation_.layers[layer].borrowed[part].processor;
  }

  void deliver(const costs::Value& value, Gradient& gradient) {
    const costs::ProcessorId home = processors_[value.layer];
    for (const Contribution& part : contributions(value)) {
      gradient.at_home.push_back(bring(value, part, home, part.processor_of_user != home));
      for (std::size_t i = 0; i < gradient.at_borrower.size(); ++i) {
        gradient.at_borrower[i].push_back(bring(value, part, borrower(value.layer, i), false));
      }
    }
  }

  contract::Source bring(const costs::Value& value, const Contribution& part,
                         costs::ProcessorId destination, bool is_mandatory) {
    if (processor(part) == destination) return part.sources.front();
    return builder_.send(part.sources, destination, payload(value, part.bytes, is_mandatory));
  }

  void add_up(const costs::Value& value, Gradient& gradient) {
    const costs::ProcessorId home = processors_[value.layer];
    const costs::ProcessorId summing = placement::summing_processor(value, processors_);
    const contract::Source sum = added_up(value, summing);
    gradient.at_home.push_back(
        home == summing ? sum
                        : builder_.send({sum}, home, payload(value, value.gradient_bytes, true)));
    for (std::size_t i = 0; i < gradient.at_borrower.size(); ++i) {
      const costs::ProcessorId there = borrower(value.layer, i);
      gradient.at_borrower[i].push_back(
          there == summing
              ? sum
              : builder_.send({sum}, there, payload(value, value.gradient_bytes, false)));
    }
  }

  contract::Source added_up(const costs::Value& value, costs::ProcessorId summing) {
    const std::vector<contract::Source> there = gather(value, summing);
    const std::size_t adding = value.used_within ? value.layer : value.uses.front().layer;
    if (ops_[adding].whole) {
      connect_all(there, *ops_[adding].whole, contract::InputKind::gradient);
      return {*ops_[adding].whole};
    }
    return builder_.join(there, payload(value, value.gradient_bytes, false, summands(value) > 1));
  }

  /// All contributions, brought to the summing processor.
  std::vector<contract::Source> gather(const costs::Value& value, costs::ProcessorId summing) {
    std::vector<contract::Source> there;
    std::map<costs::ProcessorId, Share> own;  ///< of the users' own processors
    std::vector<Contribution> borrowed;
    for (const Contribution& part : contributions(value)) {
      if (processor(part) == summing) {
        there.insert(there.end(), part.sources.begin(), part.sources.end());
      } else if (processor(part) == part.processor_of_user) {
        own[part.processor_of_user].add(part, value.gradient_bytes);
      } else {
        borrowed.push_back(part);
      }
    }
    for (const Contribution& part : borrowed) {
      if (own[processor(part)].is_whole()) {
        own[processor(part)].add(part, value.gradient_bytes);
        continue;
      }
      const bool stands_in_for_user =
          part.processor_of_user != summing && !own[part.processor_of_user].is_whole();
      there.push_back(
          builder_.send(part.sources, summing, payload(value, part.bytes, stands_in_for_user)));
    }
    for (const auto& [processor, share] : own) {
      if (share.sources.empty()) continue;
      there.push_back(builder_.send(share.sources, summing,
                                    payload(value, share.bytes, true, share.contributions > 1)));
    }
    return there;
  }

  [[nodiscard]] contract::Payload payload(const costs::Value& value, std::int64_t bytes,
                                          bool is_mandatory, bool is_sum = false) const {
    return {is_mandatory ? contract::TensorClass::mandatory
                         : contract::TensorClass::additional_gradients,
            bytes, value.layer, place_of(value), is_sum};
  }

  [[nodiscard]] std::size_t place_of(const costs::Value& value) const {
    return static_cast<std::size_t>(&value - profile_.values.data());
  }

  contract::ScheduleBuilder& builder_;
  const costs::Profile& profile_;
  const placement::Allocation& allocation_;
  std::vector<costs::ProcessorId> processors_;  ///< of each layer
  const std::vector<LayerOps>& ops_;
  std::vector<std::vector<contract::Source>>
      at_home_;  ///< [layer]: the gradient at its group's output
};

}  // namespace

void connect_gradients(contract::ScheduleBuilder& builder, const costs::Profile& profile,
                       const placement::Allocation& allocation, const std::vector<LayerOps>& ops) {
  GradientFlow(builder, profile, allocation, ops).connect();
}

}  // namespace layerpipe::discipline
