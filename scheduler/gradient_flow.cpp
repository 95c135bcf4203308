#include "scheduler/gradient_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "scheduler/value_flow.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::scheduler {

namespace {

/// What one user of a value contributes to the gradient there, or a part of that, where it is
/// computed.
struct Contribution {
  std::vector<Source> sources;  ///< all on one processor
  std::int64_t bytes = 0;
  ProcessorId processor_of_user = 0;  ///< also where another one computes it
};

/// What one processor sends of the gradient at a value: several contributions are added up.
struct Share {
  std::vector<Source> sources;
  std::int64_t bytes = 0;
  int contributions = 0;  ///< of users; no processor has two parts of one

  void add(const Contribution& part, std::int64_t all_bytes) {
    sources.insert(sources.end(), part.sources.begin(), part.sources.end());
    bytes = std::min(all_bytes, bytes + part.bytes);
    ++contributions;
  }
};

/// Where the gradient at a group's output can be had.
struct Gradient {
  std::vector<Source> at_home;    ///< on the layer's own processor
  std::vector<Source> at_lender;  ///< for the lent part, if there is one
};

class GradientFlow {
 public:
  GradientFlow(ScheduleBuilder& builder, const Profile& profile, const Allocation& allocation,
               const std::vector<LayerOps>& ops)
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
      const auto first =
          std::find_if(last, profile_.values.rend(), [l](const Value& v) { return v.layer != l; });
      connect_layer(l, std::span<const Value>(first.base(), last.base()));
      last = first;
    }
  }

 private:
  void connect_layer(std::size_t l, std::span<const Value> values) {
    Gradient gradient;
    std::int64_t bytes = profile_.layers[l].loss_gradient_bytes;
    if (profile_.layers[l].has_loss) gradient.at_home.push_back({ops_[l].forward});
    for (const Value& value : values) {
      bytes += value.gradient_bytes;
      if (has_single_user(value)) {
        deliver(value, gradient);
      } else {
        add_up(value, gradient);
      }
    }
    const bool loss_alone = values.empty();
    if (!loss_alone && (profile_.layers[l].has_loss || values.size() > 1)) {
      gradient.at_home = {
          builder_.join(gradient.at_home, {TensorClass::local, bytes, l, Tensor::no_value, true})};
    }
    const InputKind kind = loss_alone ? InputKind::activation : InputKind::gradient;
    if (ops_[l].kept) connect_all(gradient.at_home, *ops_[l].kept, kind);
    connect_all(gradient.at_home, ops_[l].weight_gradient, kind);
    if (ops_[l].lent) connect_all(gradient.at_lender, *ops_[l].lent, kind);
    at_home_[l] = std::move(gradient.at_home);
  }

  static bool has_single_user(const Value& value) {
    return value.uses.size() == 1 && !value.uses.front().by_others && !value.used_within;
  }

  void connect_all(const std::vector<Source>& sources, OpId to, InputKind kind) {
    for (const Source& source : sources) builder_.connect(source, to, kind);
  }

  [[nodiscard]] std::vector<Contribution> contributions(const Value& value) const {
    std::vector<Contribution> result;
    for (const Value::Use& use : value.uses) {
      const ProcessorId processor = processors_[use.layer];
      if (use.by_gemm) {
        const std::int64_t lent =
            lent_bytes(allocation_.layers[use.layer].lent_fraction, value.gradient_bytes);
        const LayerOps& ops = ops_[use.layer];
        if (ops.kept) result.push_back({{{*ops.kept}}, value.gradient_bytes - lent, processor});
        if (ops.lent) result.push_back({{{*ops.lent}}, lent, processor});
      }
      if (use.by_others) {
        result.push_back({at_home_[use.layer], value.gradient_bytes, processor});
      }
    }
    return result;
  }

  [[nodiscard]] ProcessorId processor(const Contribution& contribution) const {
    return builder_.processor(contribution.sources.front());
  }

  [[nodiscard]] std::optional<ProcessorId> lender(std::size_t layer) const {
    if (!ops_[layer].lent) return std::nullopt;
    return builder_.op(*ops_[layer].lent).processor;
  }

  void deliver(const Value& value, Gradient& gradient) {
    const ProcessorId home = processors_[value.layer];
    for (const Contribution& part : contributions(value)) {
      gradient.at_home.push_back(bring(value, part, home, part.processor_of_user != home));
      if (const auto there = lender(value.layer)) {
        gradient.at_lender.push_back(bring(value, part, *there, false));
      }
    }
  }

  Source bring(const Value& value, const Contribution& part, ProcessorId destination,
               bool is_mandatory) {
    if (processor(part) == destination) return part.sources.front();
    return builder_.send(part.sources, destination, payload(value, part.bytes, is_mandatory));
  }

  void add_up(const Value& value, Gradient& gradient) {
    const ProcessorId home = processors_[value.layer];
    const ProcessorId summing = summing_processor(value, processors_);
    const Source sum = builder_.join(
        gather(value, summing), payload(value, value.gradient_bytes, false, summands(value) > 1));
    gradient.at_home.push_back(
        home == summing ? sum
                        : builder_.send({sum}, home, payload(value, value.gradient_bytes, true)));
    const auto there = lender(value.layer);
    if (!there) return;
    if (*there != summing) {
      throw InternalError(
          fmt::format("layer {} lends to processor {}, expected {}, which adds up "
                      "its gradient",
                      profile_.layers[value.layer].name, *there, summing));
    }
    gradient.at_lender.push_back(sum);
  }

  /// All contributions, brought to the summing processor.
  std::vector<Source> gather(const Value& value, ProcessorId summing) {
    std::vector<Source> there;
    std::map<ProcessorId, Share> own;  ///< of the users' own processors
    std::vector<Contribution> lent;
    for (const Contribution& part : contributions(value)) {
      if (processor(part) == summing) {
        there.insert(there.end(), part.sources.begin(), part.sources.end());
      } else if (processor(part) == part.processor_of_user) {
        own[part.processor_of_user].add(part, value.gradient_bytes);
      } else {
        lent.push_back(part);
      }
    }
    for (const Contribution& part : lent) {
      if (own[processor(part)].bytes == value.gradient_bytes) {
        own[processor(part)].add(part, value.gradient_bytes);
        continue;
      }
      const bool stands_in_for_user = part.processor_of_user != summing &&
                                      own[part.processor_of_user].bytes < value.gradient_bytes;
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

  [[nodiscard]] Payload payload(const Value& value, std::int64_t bytes, bool is_mandatory,
                                bool is_sum = false) const {
    return {is_mandatory ? TensorClass::mandatory : TensorClass::additional_gradients, bytes,
            value.layer, place_of(value), is_sum};
  }

  [[nodiscard]] std::size_t place_of(const Value& value) const {
    return static_cast<std::size_t>(&value - profile_.values.data());
  }

  ScheduleBuilder& builder_;
  const Profile& profile_;
  const Allocation& allocation_;
  std::vector<ProcessorId> processors_;  ///< of each layer
  const std::vector<LayerOps>& ops_;
  std::vector<std::vector<Source>> at_home_;  ///< [layer]: the gradient at its group's output
};

}  // namespace

void connect_gradients(ScheduleBuilder& builder, const Profile& profile,
                       const Allocation& allocation, const std::vector<LayerOps>& ops) {
  GradientFlow(builder, profile, allocation, ops).connect();
}

}  // namespace layerpipe::scheduler
