#include "tests/theory/held_gradients.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>

namespace layerpipe::tests {

namespace {

using namespace scheduler;

/// What a gradient consists of on one processor, or what is a summand of it.
using Pieces = std::vector<HeldGradient*>;

/// The operations of one layer.
struct Placed {
  ProcessorId home = 0;
  OpId forward = 0;
  OpId weight_gradient = 0;
  std::optional<OpId> kept;
  std::optional<OpId> lent;
};

std::vector<Placed> placed_layers(const Schedule& schedule) {
  std::vector<Placed> layers(schedule.layer_names.size());
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    for (const OpPart& part : schedule.ops[op].parts) {
      if (part.kind == OpKind::forward) {
        layers[part.layer].forward = op;
        layers[part.layer].home = schedule.ops[op].processor;
      }
      if (part.kind == OpKind::weight_gradient) layers[part.layer].weight_gradient = op;
    }
  }
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    const OpPart& part = schedule.ops[op].parts.front();
    if (part.kind != OpKind::input_gradient) continue;
    Placed& layer = layers[part.layer];
    (schedule.ops[op].processor == layer.home ? layer.kept : layer.lent) = op;
  }
  return layers;
}

class Backward {
 public:
  Backward(const Profile& profile, const Schedule& schedule, const Timetable& table,
           std::int64_t minibatch)
      : profile_(profile),
        schedule_(schedule),
        table_(table),
        minibatch_(static_cast<std::size_t>(minibatch)),
        layers_(placed_layers(schedule)),
        at_home_(layers_.size()) {
    for (std::size_t l = layers_.size(); l-- > 0;) go_through(l);
  }

  [[nodiscard]] std::vector<HeldGradient> held() const { return {held_.begin(), held_.end()}; }

 private:
  [[nodiscard]] std::int64_t end(OpId op) const { return table_.ops[op][minibatch_].end; }

  HeldGradient* hold(ProcessorId processor, std::int64_t bytes, std::int64_t from) {
    return &held_.emplace_back(HeldGradient{processor, bytes, from});
  }

  static void need(const Pieces& pieces, std::int64_t until) {
    for (HeldGradient* piece : pieces) piece->to = std::max(piece->to, until);
  }

  static void append(Pieces& to, const Pieces& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  /// Bytes of their own from the date at which the last of what they are made of is there.
  HeldGradient* make_of(const Pieces& pieces, std::int64_t bytes) {
    std::int64_t complete = 0;
    for (const HeldGradient* piece : pieces) complete = std::max(complete, piece->from);
    need(pieces, complete);
    return hold(pieces.front()->processor, bytes, complete);
  }

  /// Sent: there from its arrival, needed here until then.
  HeldGradient* bring(const Pieces& pieces, ProcessorId to, std::int64_t bytes,
                      std::int64_t arrival) {
    need(pieces, arrival);
    return hold(to, bytes, arrival);
  }

  /// Of what goes from one processor to another of the gradient at a value: a lent part by itself
  /// where `alone` is one, else what is not that.
  [[nodiscard]] std::int64_t arrival(std::size_t value, ProcessorId from, ProcessorId to,
                                     std::optional<OpId> alone,
                                     const std::vector<OpId>& others_alone = {}) const {
    std::vector<TensorId> found;
    for (TensorId id = 0; id < schedule_.tensors.size(); ++id) {
      const Tensor& tensor = schedule_.tensors[id];
      if (tensor.value != value || tensor.source != from || tensor.destination != to) continue;
      if (tensor.tensor_class == TensorClass::local || is_activation(id)) continue;
      const bool is_alone = tensor.parts.empty() && tensor.producers.size() == 1;
      if (alone ? !is_alone || tensor.producers.front() != *alone
                : is_alone && std::ranges::count(others_alone, tensor.producers.front()) > 0) {
        continue;
      }
      found.push_back(id);
    }
    EXPECT_EQ(found.size(), 1U) << "value " << value << " from " << from << " to " << to;
    return found.empty() ? -1 : table_.transfers[found.front()][minibatch_].end;
  }

  [[nodiscard]] bool is_activation(TensorId id) const {
    return std::ranges::any_of(schedule_.edges, [&](const Edge& edge) {
      return edge.tensor == id && schedule_.ops[edge.to].parts.front().kind == OpKind::forward;
    });
  }

  [[nodiscard]] std::int64_t lent_share(std::size_t layer, std::int64_t bytes) const {
    if (!layers_[layer].lent) return 0;
    const double fraction = schedule_.ops[*layers_[layer].lent].parts.front().fraction;
    return static_cast<std::int64_t>(std::floor(fraction * static_cast<double>(bytes) + 1e-6));
  }

  HeldGradient* kept_result(std::size_t layer, std::int64_t bytes) {
    return hold(layers_[layer].home, bytes - lent_share(layer, bytes), end(*layers_[layer].kept));
  }

  HeldGradient* lent_result(std::size_t layer, std::int64_t bytes) {
    const OpId op = *layers_[layer].lent;
    return hold(schedule_.ops[op].processor, lent_share(layer, bytes), end(op));
  }

  void go_through(std::size_t l) {
    Pieces at_home;
    Pieces at_lender;
    std::int64_t bytes = profile_.layers[l].loss_gradient_bytes;
    std::size_t outputs = profile_.layers[l].has_loss ? 1 : 0;
    if (profile_.layers[l].has_loss) {
      at_home.push_back(hold(layers_[l].home, bytes, end(layers_[l].forward)));
    }
    for (std::size_t v = 0; v < profile_.values.size(); ++v) {
      const Value& value = profile_.values[v];
      if (value.layer != l) continue;
      ++outputs;
      bytes += value.gradient_bytes;
      const bool is_chain =
          value.uses.size() == 1 && !value.uses.front().by_others && !value.used_within;
      is_chain ? deliver(v, at_home, at_lender) : add_up(v, at_home, at_lender);
    }
    if (outputs > 1) at_home = {make_of(at_home, bytes)};
    if (layers_[l].kept) need(at_home, end(*layers_[l].kept));
    need(at_home, end(layers_[l].weight_gradient));
    if (layers_[l].lent) need(at_lender, end(*layers_[l].lent));
    at_home_[l] = at_home;
  }

  /// One layer takes the value: the parts of its input gradient go where they are needed.
  void deliver(std::size_t v, Pieces& at_home, Pieces& at_lender) {
    const Value& value = profile_.values[v];
    const std::size_t user = value.uses.front().layer;
    const auto take = [&](HeldGradient* result, OpId op, ProcessorId to) {
      if (result->processor == to) return result;
      return bring({result}, to, result->bytes, arrival(v, result->processor, to, op));
    };
    const auto hand_out = [&](HeldGradient* result, OpId op) {
      at_home.push_back(take(result, op, layers_[value.layer].home));
      if (!layers_[value.layer].lent) return;
      at_lender.push_back(take(result, op, schedule_.ops[*layers_[value.layer].lent].processor));
    };
    if (layers_[user].kept) {
      hand_out(kept_result(user, value.gradient_bytes), *layers_[user].kept);
    }
    if (layers_[user].lent) {
      hand_out(lent_result(user, value.gradient_bytes), *layers_[user].lent);
    }
  }

  /// What the layers of one processor contribute.
  struct Share {
    Pieces pieces;
    std::size_t summands = 0;
    std::int64_t bytes = 0;
  };

  void add_up(std::size_t v, Pieces& at_home, Pieces& at_lender) {
    const Value& value = profile_.values[v];
    const std::int64_t all = value.gradient_bytes;
    const ProcessorId summing =
        layers_[value.used_within ? value.layer : value.uses.front().layer].home;
    std::map<ProcessorId, Share> shares;
    std::map<OpId, HeldGradient*> lent;
    std::size_t summands = 0;
    const auto contribute = [&](ProcessorId processor, const Pieces& pieces, std::int64_t bytes) {
      Share& share = shares[processor];
      append(share.pieces, pieces);
      ++share.summands;
      share.bytes = std::min(all, share.bytes + bytes);
    };
    for (const Value::Use& use : value.uses) {
      const Placed& user = layers_[use.layer];
      if (use.by_gemm) {
        ++summands;
        if (user.kept) {
          HeldGradient* kept = kept_result(use.layer, all);
          contribute(user.home, {kept}, kept->bytes);
        }
        if (user.lent) lent[*user.lent] = lent_result(use.layer, all);
      }
      if (use.by_others) {
        ++summands;
        contribute(user.home, at_home_[use.layer], all);
      }
    }
    std::vector<OpId> lent_alone;
    Pieces gathered;
    for (const auto& [op, result] : lent) {
      const ProcessorId from = result->processor;
      const auto own = shares.find(from);
      if (from == summing) {
        gathered.push_back(result);
      } else if (own != shares.end() && own->second.bytes == all) {
        contribute(from, {result}, 0);
      } else {
        lent_alone.push_back(op);
        gathered.push_back(bring({result}, summing, result->bytes, arrival(v, from, summing, op)));
      }
    }
    for (const auto& [from, share] : shares) {
      if (from == summing) {
        append(gathered, share.pieces);
        continue;
      }
      const Pieces sent =
          share.summands > 1 ? Pieces{make_of(share.pieces, share.bytes)} : share.pieces;
      gathered.push_back(
          bring(sent, summing, share.bytes, arrival(v, from, summing, {}, lent_alone)));
    }
    if (summands > 1) gathered = {make_of(gathered, all)};
    at_lender = gathered;
    const ProcessorId home = layers_[value.layer].home;
    append(at_home, home == summing
                        ? gathered
                        : Pieces{bring(gathered, home, all, arrival(v, summing, home, {}))});
  }

  const Profile& profile_;
  const Schedule& schedule_;
  const Timetable& table_;
  std::size_t minibatch_;
  std::vector<Placed> layers_;
  std::vector<Pieces> at_home_;  ///< [layer]: at the outputs of its group, where its layer is
  std::deque<HeldGradient> held_;
};

}  // namespace

std::vector<HeldGradient> held_gradients(const Profile& profile, const Schedule& schedule,
                                         const Timetable& table, std::int64_t minibatch) {
  return Backward(profile, schedule, table, minibatch).held();
}

std::vector<HeldGradient> held_between_stages(const Profile& profile, const Schedule& schedule,
                                              const Timetable& table, std::int64_t minibatch) {
  const auto m = static_cast<std::size_t>(minibatch);
  std::vector<HeldGradient> held;
  for (const Edge& edge : schedule.edges) {
    if (schedule.ops[edge.to].parts.front().kind == OpKind::forward) continue;
    const std::int64_t made = table.ops[edge.from][m].end;
    const std::int64_t used = table.ops[edge.to][m].end;
    if (edge.tensor == Edge::no_tensor) {
      const std::size_t layer = schedule.ops[edge.from].parts.front().layer;
      held.push_back(
          {schedule.ops[edge.to].processor, profile.layers[layer].loss_gradient_bytes, made, used});
      continue;
    }
    const Tensor& tensor = schedule.tensors[edge.tensor];
    const std::int64_t arrived = table.transfers[edge.tensor][m].end;
    held.push_back({tensor.source, tensor.bytes, made, arrived});
    held.push_back({tensor.destination, tensor.bytes, arrived, used});
  }
  return held;
}

}  // namespace layerpipe::tests
