#include "tests/theory/held_gradients.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>

namespace layerpipe::tests {

namespace {

using namespace contract;
using namespace costs;
using namespace theory;

/// What a gradient consists of on one processor, or what is a summand of it.
using Pieces = std::vector<HeldGradient*>;

/// The operations of one layer.
struct Placed {
  ProcessorId home = 0;
  OpId forward = 0;
  OpId weight_gradient = 0;
  std::optional<OpId> kept;
  std::vector<OpId> borrowed = {};  ///< by their processors
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
    if (schedule.ops[op].processor == layer.home) {
      layer.kept = op;
    } else {
      layer.borrowed.push_back(op);
    }
  }
  for (Placed& layer : layers) {
    std::ranges::sort(layer.borrowed, {}, [&](OpId op) { return schedule.ops[op].processor; });
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

  /// Of what goes from one processor to another of the gradient at a value: a borrowed part by
  /// itself where `alone` is one, else what is not that.
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

  [[nodiscard]] std::int64_t share_of(OpId op, std::int64_t bytes) const {
    const double fraction = schedule_.ops[op].parts.front().fraction;
    return static_cast<std::int64_t>(std::floor(fraction * static_cast<double>(bytes) + 1e-6));
  }

  /// What is not the share of any other part.
  [[nodiscard]] std::int64_t rest(std::size_t layer, OpId op, std::int64_t bytes) const {
    std::int64_t left = bytes;
    for (const OpId other : layers_[layer].borrowed) {
      if (other != op) left -= share_of(other, bytes);
    }
    return left;
  }

  /// What stays has the rest; where nothing does, the first borrowed part.
  HeldGradient* result(std::size_t layer, OpId op, std::int64_t bytes) {
    const Placed& placed = layers_[layer];
    const OpId has_rest = placed.kept ? *placed.kept : placed.borrowed.front();
    return hold(schedule_.ops[op].processor,
                op == has_rest ? rest(layer, op, bytes) : share_of(op, bytes), end(op));
  }

  void go_through(std::size_t l) {
    Pieces at_home;
    std::vector<Pieces> at_borrowers(layers_[l].borrowed.size());
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
      is_chain ? deliver(v, at_home, at_borrowers) : add_up(v, at_home, at_borrowers);
    }
    if (outputs > 1) at_home = {make_of(at_home, bytes)};
    if (layers_[l].kept) need(at_home, end(*layers_[l].kept));
    need(at_home, end(layers_[l].weight_gradient));
    for (std::size_t i = 0; i < at_borrowers.size(); ++i) {
      need(at_borrowers[i], end(layers_[l].borrowed[i]));
    }
    at_home_[l] = at_home;
  }

  /// One layer takes the value: the parts of its input gradient go where they are needed.
  void deliver(std::size_t v, Pieces& at_home, std::vector<Pieces>& at_borrowers) {
    const Value& value = profile_.values[v];
    const std::size_t user = value.uses.front().layer;
    const auto take = [&](HeldGradient* made, OpId op, ProcessorId to) {
      if (made->processor == to) return made;
      return bring({made}, to, made->bytes, arrival(v, made->processor, to, op));
    };
    const auto hand_out = [&](OpId op) {
      HeldGradient* const made = result(user, op, value.gradient_bytes);
      at_home.push_back(take(made, op, layers_[value.layer].home));
      for (std::size_t i = 0; i < at_borrowers.size(); ++i) {
        const OpId borrowed = layers_[value.layer].borrowed[i];
        at_borrowers[i].push_back(take(made, op, schedule_.ops[borrowed].processor));
      }
    };
    if (layers_[user].kept) hand_out(*layers_[user].kept);
    for (const OpId op : layers_[user].borrowed) hand_out(op);
  }

  /// What the layers of one processor contribute.
  struct Share {
    Pieces pieces;
    std::size_t summands = 0;
    std::int64_t bytes = 0;
  };

  void add_up(std::size_t v, Pieces& at_home, std::vector<Pieces>& at_borrowers) {
    const Value& value = profile_.values[v];
    const std::int64_t all = value.gradient_bytes;
    const ProcessorId summing =
        layers_[value.used_within ? value.layer : value.uses.front().layer].home;
    std::map<ProcessorId, Share> shares;
    std::map<OpId, HeldGradient*> borrowed;
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
          HeldGradient* kept = result(use.layer, *user.kept, all);
          contribute(user.home, {kept}, kept->bytes);
        }
        for (const OpId op : user.borrowed) borrowed[op] = result(use.layer, op, all);
      }
      if (use.by_others) {
        ++summands;
        contribute(user.home, at_home_[use.layer], all);
      }
    }
    std::vector<OpId> alone;
    Pieces gathered;
    for (const auto& [op, part] : borrowed) {
      const ProcessorId from = part->processor;
      const auto own = shares.find(from);
      if (from == summing) {
        gathered.push_back(part);
      } else if (own != shares.end() && own->second.bytes == all) {
        contribute(from, {part}, 0);
      } else {
        alone.push_back(op);
        gathered.push_back(bring({part}, summing, part->bytes, arrival(v, from, summing, op)));
      }
    }
    for (const auto& [from, share] : shares) {
      if (from == summing) {
        append(gathered, share.pieces);
        continue;
      }
      const Pieces sent =
          share.summands > 1 ? Pieces{make_of(share.pieces, share.bytes)} : share.pieces;
      gathered.push_back(bring(sent, summing, share.bytes, arrival(v, from, summing, {}, alone)));
    }
    if (summands > 1) gathered = {make_of(gathered, all)};
    for (std::size_t i = 0; i < at_borrowers.size(); ++i) {
      const ProcessorId there = schedule_.ops[layers_[value.layer].borrowed[i]].processor;
      at_borrowers[i] = there == summing
                            ? gathered
                            : Pieces{bring(gathered, there, all, arrival(v, summing, there, {}))};
    }
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
