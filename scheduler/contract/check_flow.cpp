#include "scheduler/contract/check_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/contract/micro_batches.hpp"

namespace layerpipe::contract {

namespace {

/// [layer]: operations with a part of that kind.
using OpsOfLayers = std::vector<std::vector<OpId>>;

OpsOfLayers ops_of_layers(const Schedule& schedule, costs::OpKind kind) {
  OpsOfLayers result(schedule.layer_names.size());
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    for (const OpPart& part : schedule.ops[op].parts) {
      if (part.kind == kind) result[part.layer].push_back(op);
    }
  }
  return result;
}

bool is_sent(const Edge& edge) { return edge.tensor != Edge::no_tensor; }

/// What forward passes hand to others.
struct Activations {
  using Sizes = std::multiset<std::int64_t>;

  std::set<std::pair<OpId, OpId>> local;           ///< from, to
  std::map<std::pair<OpId, OpId>, Sizes> awaited;  ///< from, to: bytes of each tensor
  std::map<std::pair<OpId, costs::ProcessorId>, Sizes>
      delivered;  ///< from, to: bytes of each tensor
};

Activations needed_activations(const Schedule& schedule, const costs::Profile& profile,
                               const OpsOfLayers& forward) {
  Activations result;
  for (const costs::Value& value : profile.values) {
    const OpId from = forward[value.layer].front();
    std::set<costs::ProcessorId> destinations;
    for (const costs::Value::Use& use : value.uses) {
      const OpId to = forward[use.layer].front();
      const costs::ProcessorId destination = schedule.ops[to].processor;
      if (destination == schedule.ops[from].processor) {
        result.local.emplace(from, to);
        continue;
      }
      result.awaited[{from, to}].insert(value.activation_bytes);
      if (destinations.insert(destination).second) {
        result.delivered[{from, destination}].insert(value.activation_bytes);
      }
    }
  }
  return result;
}

/// Of tensors that come from one operation alone; others are no activations.
Activations scheduled_activations(const Schedule& schedule, const OpsOfLayers& forward) {
  std::vector<bool> is_forward(schedule.ops.size(), false);
  for (const std::vector<OpId>& ops : forward) {
    for (const OpId op : ops) is_forward[op] = true;
  }
  Activations result;
  std::set<TensorId> counted;
  for (const Edge& edge : schedule.edges) {
    if (edge.input != InputKind::activation || edge.tokens > 0 || !is_forward[edge.to]) continue;
    if (!is_sent(edge)) {
      result.local.emplace(edge.from, edge.to);
      continue;
    }
    const Tensor& tensor = schedule.tensors[edge.tensor];
    if (tensor.producers.size() != 1 || !tensor.parts.empty()) {
      fail(schedule, fmt::format("tensor {} is no output of one forward pass, but {} takes it for "
                                 "an activation",
                                 edge.tensor, describe(schedule, edge.to)));
    }
    result.awaited[{edge.from, edge.to}].insert(tensor.bytes);
    if (counted.insert(edge.tensor).second) {
      result.delivered[{edge.from, tensor.destination}].insert(tensor.bytes);
    }
  }
  return result;
}

void check_activations(const Schedule& schedule, const costs::Profile& profile) {
  const OpsOfLayers forward = ops_of_layers(schedule, costs::OpKind::forward);
  const Activations needed = needed_activations(schedule, profile, forward);
  const Activations scheduled = scheduled_activations(schedule, forward);
  for (const auto& [from, to] : needed.local) {
    if (scheduled.local.contains({from, to})) continue;
    fail(schedule,
         fmt::format("{} does not wait for {}", describe(schedule, to), describe(schedule, from)));
  }
  for (const auto& [ends, sizes] : needed.awaited) {
    const auto found = scheduled.awaited.find(ends);
    if (found != scheduled.awaited.end() && found->second == sizes) continue;
    fail(schedule, fmt::format("{} does not wait for each value of {} once, with all its bytes",
                               describe(schedule, ends.second), describe(schedule, ends.first)));
  }
  if (needed.delivered != scheduled.delivered) {
    fail(schedule, "activations are sent that nobody needs, or to one processor more than once");
  }
}

bool has_weight_gradient(const Op& op) {
  return std::any_of(op.parts.begin(), op.parts.end(), [](const OpPart& part) {
    return part.kind == costs::OpKind::weight_gradient;
  });
}

/// What flows between the operations of one minibatch: node i < ops is operation i, node ops + t
/// tensor t.
class MinibatchGraph {
 public:
  explicit MinibatchGraph(const Schedule& schedule)
      : ops_(schedule.ops.size()),
        successors_(ops_ + schedule.tensors.size()),
        hands_on_(successors_.size(), true) {
    for (OpId op = 0; op < ops_; ++op) hands_on_[op] = has_weight_gradient(schedule.ops[op]);
    for (TensorId id = 0; id < schedule.tensors.size(); ++id) {
      for (const OpId op : schedule.tensors[id].producers) successors_[op].push_back(ops_ + id);
      for (const TensorId part : schedule.tensors[id].parts) {
        successors_[ops_ + part].push_back(ops_ + id);
      }
    }
    for (const Edge& edge : schedule.edges) {
      if (edge.tokens > 0) continue;
      successors_[is_sent(edge) ? ops_ + edge.tensor : edge.from].push_back(edge.to);
    }
    sort(schedule);
  }

  /// [op]: bits of the operations whose results it is handed, and its own. A tensor hands on what
  /// it is made of, a whole backward pass of a stage what it has added up; any other operation its
  /// own result alone.
  [[nodiscard]] std::vector<std::uint64_t> received(
      const std::vector<std::uint64_t>& own_bits) const {
    std::vector<std::uint64_t> bits(own_bits);
    bits.resize(successors_.size(), 0);
    for (const std::size_t node : order_) {
      const std::uint64_t handed_on = hands_on_[node] ? bits[node] : own_bits[node];
      for (const std::size_t successor : successors_[node]) bits[successor] |= handed_on;
    }
    return bits;
  }

 private:
  void sort(const Schedule& schedule) {
    std::vector<std::size_t> missing(successors_.size(), 0);
    for (const auto& successors : successors_) {
      for (const std::size_t successor : successors) ++missing[successor];
    }
    for (std::size_t node = 0; node < missing.size(); ++node) {
      if (missing[node] == 0) order_.push_back(node);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      for (const std::size_t successor : successors_[order_[i]]) {
        if (--missing[successor] == 0) order_.push_back(successor);
      }
    }
    if (order_.size() < successors_.size()) {
      fail(schedule, "operations of one minibatch wait for each other in a circle");
    }
  }

  std::size_t ops_;
  std::vector<std::vector<std::size_t>> successors_;
  std::vector<bool> hands_on_;
  std::vector<std::size_t> order_;
};

/// Who has to get which parts of gradients.
class GradientCheck {
 public:
  GradientCheck(const Schedule& schedule, const costs::Profile& profile)
      : schedule_(schedule),
        profile_(profile),
        graph_(schedule),
        forward_(ops_of_layers(schedule, costs::OpKind::forward)),
        input_gradient_(ops_of_layers(schedule, costs::OpKind::input_gradient)),
        weight_gradient_(ops_of_layers(schedule, costs::OpKind::weight_gradient)) {}

  /// 64 parts of gradients at a time.
  void run() const {
    std::vector<OpId> parts;
    for (std::size_t l = 0; l < profile_.layers.size(); ++l) {
      if (profile_.layers[l].has_loss) parts.push_back(forward_[l].front());
      parts.insert(parts.end(), input_gradient_[l].begin(), input_gradient_[l].end());
    }
    for (std::size_t begin = 0; begin < parts.size(); begin += 64) {
      std::vector<std::uint64_t> bits(schedule_.ops.size(), 0);
      for (std::size_t i = begin; i < std::min(begin + 64, parts.size()); ++i) {
        bits[parts[i]] |= std::uint64_t{1} << (i - begin);
      }
      check_bits(bits);
    }
  }

 private:
  void check_bits(const std::vector<std::uint64_t>& bits) const {
    const std::vector<std::uint64_t> received = graph_.received(bits);
    const std::vector<std::uint64_t> needed = needed_bits(bits);
    for (std::size_t l = 0; l < profile_.layers.size(); ++l) {
      for (const auto* ops : {&input_gradient_[l], &weight_gradient_[l]}) {
        for (const OpId op : *ops) {
          if ((needed[l] & ~received[op]) == 0) continue;
          fail(schedule_,
               fmt::format("{} does not get all parts of the gradient at the output of {}",
                           describe(schedule_, op), schedule_.layer_names[l]));
        }
      }
    }
  }

  /// [layer]: of what the gradient at its group's output is added up from.
  [[nodiscard]] std::vector<std::uint64_t> needed_bits(
      const std::vector<std::uint64_t>& bits) const {
    std::vector<std::uint64_t> needed(profile_.layers.size(), 0);
    for (std::size_t l = 0; l < needed.size(); ++l) {
      if (profile_.layers[l].has_loss) needed[l] |= bits[forward_[l].front()];
    }
    for (auto value = profile_.values.rbegin(); value != profile_.values.rend(); ++value) {
      for (const costs::Value::Use& use : value->uses) {
        if (use.by_others) needed[value->layer] |= needed[use.layer];
        if (!use.by_gemm) continue;
        for (const OpId op : input_gradient_[use.layer]) needed[value->layer] |= bits[op];
      }
    }
    return needed;
  }

  const Schedule& schedule_;
  const costs::Profile& profile_;
  MinibatchGraph graph_;
  OpsOfLayers forward_;
  OpsOfLayers input_gradient_;
  OpsOfLayers weight_gradient_;
};

}  // namespace

void check_flow(const Schedule& schedule, const costs::Profile& profile) {
  for (const MicroBatchSlice& slice : micro_batch_slices(schedule)) {
    check_activations(slice.schedule, profile);
    GradientCheck(slice.schedule, profile).run();
  }
}

}  // namespace layerpipe::contract
