#include <algorithm>
#include <map>
#include <utility>

#include "scheduler/contract/allocation_of.hpp"
#include "scheduler/memory/gradients_within.hpp"
#include "scheduler/memory/holding_lists.hpp"
#include "scheduler/memory/passages.hpp"
#include "scheduler/placement/allocation.hpp"

namespace layerpipe::memory {

namespace {

/// What an operation contributes to the gradient at one value, or at the network's outputs.
struct Result {
  std::int64_t bytes = 0;
  std::vector<Step> ends;  ///< of all that needs it
};

class GradientHoldings {
 public:
  GradientHoldings(const Flow& flow, const costs::Profile& profile)
      : flow_(flow),
        profile_(profile),
        passages_(profile),
        placements_(allocation_of(flow.schedule).layers),
        results_(flow.schedule.ops.size()) {}

  void add_to(std::vector<Holding>& list) && {
    for (std::size_t l = 0; l < flow_.layers.size(); ++l) add_results_of(l);
    for (const contract::Edge& edge : flow_.schedule.edges) add_local_use(edge);
    for (contract::TensorId id = 0; id < flow_.carried.size(); ++id) {
      if (flow_.carried[id] == Carried::gradient) add_tensor(id, list);
    }
    add_results(list);
    add_gradients_within(list);
  }

 private:
  using Results = std::map<std::size_t, Result>;  ///< [value]

  /// A whole backward pass of a stage: what it contributes is known from what it sends.
  [[nodiscard]] bool is_whole(contract::OpId op) const {
    return op == flow_.layers[flow_.schedule.ops[op].parts.back().layer].weight_gradient;
  }

  void add_results_of(std::size_t layer) {
    const LayerExecution& placed = flow_.layers[layer];
    if (profile_.layers[layer].has_loss) {
      results_[placed.forward][contract::Tensor::no_value].bytes =
          profile_.layers[layer].loss_gradient_bytes;
    }
    const contract::OpId kept = placed.backward.front();
    const bool has_kept = kept != placed.weight_gradient;
    if (!has_kept && placed.borrowed.empty()) return;
    for (std::size_t v = 0; v < profile_.values.size(); ++v) {
      const costs::Value& value = profile_.values[v];
      const bool is_taken = std::ranges::any_of(value.uses, [&](const costs::Value::Use& use) {
        return use.layer == layer && use.by_gemm;
      });
      if (!is_taken) continue;
      const placement::Shares of_bytes = shares(placements_[layer], value.gradient_bytes);
      if (has_kept) results_[kept][v].bytes = of_bytes.kept;
      for (std::size_t i = 0; i < placed.borrowed.size(); ++i) {
        results_[placed.borrowed[i]][v].bytes = of_bytes.borrowed[i];
      }
    }
  }

  void add_local_use(const contract::Edge& edge) {
    const bool brings_gradient = edge.tensor == contract::Edge::no_tensor &&
                                 edge.input != contract::InputKind::weight_version &&
                                 !flow_.is_forward(edge.to);
    if (!brings_gradient) return;
    if (is_whole(edge.from)) {
      hand_over(edge.from, {{StepKind::operation_ended, edge.to, edge.tokens}},
                [&](std::size_t v) { return is_taken_up(v, edge.to); });
      return;
    }
    const std::size_t layer = flow_.first_layer(edge.to);
    need(edge.from, {{StepKind::operation_ended, edge.to, edge.tokens}},
         [&](std::size_t v) { return passages_.lead_to_group(v, layer); });
  }

  void add_tensor(contract::TensorId id, std::vector<Holding>& list) {
    const contract::Tensor& tensor = flow_.schedule.tensors[id];
    const std::vector<Step> taken = taken_by(id);
    for (const contract::OpId op : tensor.producers) {
      if (is_whole(op)) {
        hand_over(op, taken, [&](std::size_t v) {
          return tensor.value == contract::Tensor::no_value
                     ? passages_.lead_to_group(v, tensor.layer)
                     : v == tensor.value;
        });
        continue;
      }
      need(op, taken, [&](std::size_t v) {
        return tensor.value == contract::Tensor::no_value ? passages_.lead_to_group(v, tensor.layer)
                                                          : passages_.lead(v, tensor.value);
      });
    }
    const Moment arrival{{{StepKind::tensor_arrived, id}}};
    const bool stays = tensor.tensor_class == contract::TensorClass::local;
    if (tensor.is_sum && !stays) {
      list.push_back(
          gradient(tensor.source, tensor.layer, tensor.bytes, between({taken}, arrival)));
    }
    if (stays && !tensor.is_sum) return;
    list.push_back(gradient(tensor.destination, tensor.layer, tensor.bytes,
                            between(arrival, {ends_of_all_that_need(id)})));
  }

  /// Where the tensor has arrived.
  [[nodiscard]] std::vector<Step> ends_of_all_that_need(contract::TensorId id) const {
    std::vector<Step> ends = flow_.ends_of_users(id);
    for (const contract::TensorId whole : flow_.wholes[id]) {
      const std::vector<Step> taken = taken_by(whole);
      ends.insert(ends.end(), taken.begin(), taken.end());
    }
    return ends;
  }

  /// What has to happen before nothing that the tensor is made of is needed for it any more. A sum
  /// then stands for its parts. What is passed on is itself under way until it has arrived, or
  /// stays and is used.
  [[nodiscard]] std::vector<Step> taken_by(contract::TensorId id) const {
    const contract::Tensor& tensor = flow_.schedule.tensors[id];
    if (!tensor.is_sum) {
      const bool stays = tensor.tensor_class == contract::TensorClass::local;
      return stays ? ends_of_all_that_need(id) : std::vector<Step>{{StepKind::tensor_arrived, id}};
    }
    std::vector<Step> steps;
    for (const contract::OpId op : tensor.producers)
      steps.push_back({StepKind::operation_ended, op});
    for (const contract::TensorId part : tensor.parts)
      steps.push_back({StepKind::tensor_arrived, part});
    return steps;
  }

  /// The operation's results at values for which `is_needed` is true are kept until `ends`. At the
  /// network's outputs it has one alone.
  template <class Predicate>
  void need(contract::OpId op, const std::vector<Step>& ends, Predicate is_needed) {
    for (auto& [value, result] : results_[op]) {
      if (value != contract::Tensor::no_value && !is_needed(value)) continue;
      result.ends.insert(result.ends.end(), ends.begin(), ends.end());
    }
  }

  /// Of a whole backward pass: what it makes for values of other stages for which `is_needed` is
  /// true is kept until `ends`.
  template <class Predicate>
  void hand_over(contract::OpId op, const std::vector<Step>& ends, Predicate is_needed) {
    for (std::size_t v = 0; v < profile_.values.size(); ++v) {
      const costs::Value& value = profile_.values[v];
      const bool is_taken = std::ranges::any_of(
          value.uses, [&](const costs::Value::Use& use) { return has_layer(op, use.layer); });
      if (!is_taken || has_layer(op, value.layer) || !is_needed(v)) continue;
      Result& result = results_[op][v];
      result.bytes = value.gradient_bytes;
      result.ends.insert(result.ends.end(), ends.begin(), ends.end());
    }
  }

  [[nodiscard]] bool has_layer(contract::OpId op, std::size_t layer) const {
    return std::ranges::any_of(flow_.schedule.ops[op].parts, [layer](const contract::OpPart& part) {
      return part.layer == layer;
    });
  }

  /// Whether a backward operation on the same processor gets the gradient at value `v` itself: its
  /// layers have made the value, or its pass adds the gradient up.
  [[nodiscard]] bool is_taken_up(std::size_t v, contract::OpId op) const {
    const costs::Value& value = profile_.values[v];
    if (is_whole(op) && !value.used_within && has_layer(op, value.uses.front().layer)) return true;
    return std::ranges::any_of(flow_.schedule.ops[op].parts, [&](const contract::OpPart& part) {
      return passages_.lead_to_group(v, part.layer);
    });
  }

  static Holding gradient(costs::ProcessorId processor, std::size_t layer, std::int64_t bytes,
                          Lifetime lifetime) {
    return {MemoryKind::gradients, Content::gradient, processor, layer, bytes, std::move(lifetime)};
  }

  static Lifetime execution(contract::OpId op) {
    return between({{{StepKind::operation_started, op}}}, {{{StepKind::operation_ended, op}}});
  }

  void add_results(std::vector<Holding>& list) const {
    for (contract::OpId op = 0; op < results_.size(); ++op) {
      for (const auto& [value, result] : results_[op]) {
        if (result.ends.empty()) continue;
        const std::size_t layer = value == contract::Tensor::no_value
                                      ? flow_.first_layer(op)
                                      : profile_.values[value].layer;
        list.push_back(gradient(flow_.schedule.ops[op].processor, layer, result.bytes,
                                between({{{StepKind::operation_ended, op}}}, {result.ends})));
      }
    }
  }

  void add_gradients_within(std::vector<Holding>& list) const {
    const GradientsWithin within(profile_);
    for (contract::OpId op = 0; op < flow_.schedule.ops.size(); ++op) {
      const std::int64_t bytes = within.bytes(flow_.schedule.ops[op]);
      if (bytes == 0) continue;
      list.push_back(
          gradient(flow_.schedule.ops[op].processor, flow_.first_layer(op), bytes, execution(op)));
    }
  }

  const Flow& flow_;
  const costs::Profile& profile_;
  const Passages passages_;
  std::vector<placement::Placement> placements_;  ///< [layer]
  std::vector<Results> results_;                  ///< [op]
};

}  // namespace

void add_gradients(const Flow& flow, const costs::Profile& profile, std::vector<Holding>& list) {
  GradientHoldings(flow, profile).add_to(list);
}

}  // namespace layerpipe::memory
