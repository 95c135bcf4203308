#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/placement/lending.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "scheduler/theory/retiming.hpp"
#include "sim/metrics/live_memory.hpp"
#include "sim/metrics/replay.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/theory/held_gradients.hpp"

// What processors hold on random graphs, found by a second method: not by counting while events
// come, but from the list of all intervals in which something is held, made minibatch by minibatch
// from what each operation and transfer needs.
namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;
using namespace memory;
using namespace placement;
using namespace scheduler;
using namespace theory;

constexpr std::uint64_t seeds = 200;
constexpr std::int64_t minibatches = 9;
constexpr const char* lending = "random lending";
constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

enum Kind { weights, activations, gradients, queued, kinds };

struct Interval {
  ProcessorId processor = 0;
  Kind kind = weights;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t bytes = 0;
};

/// Something that is held from a date to the last at which it is needed.
struct Held {
  std::int64_t bytes = 0;
  std::int64_t from = 0;
  std::int64_t first_use = forever;  ///< start of a forward pass
  std::int64_t to = -1;
  std::int64_t sent = -1;  ///< arrival where it is sent

  void need(std::int64_t until) { to = std::max(to, until); }
};

struct Case {
  Profile profile;
  Schedule schedule;
  Timetable table;
  std::vector<LayerDelays> delays;
};

/// Stages of random lengths, a processor without layers between some. Of what can be borrowed, some
/// fraction is, by the processor of the next layer and by the one between.
Schedule random_lending(const Profile& profile, std::size_t processors, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Allocation allocation;
  ProcessorId processor = 0;
  for (std::size_t l = 0; l < profile.layers.size(); ++l) {
    const bool can_part = l > 0 && !lending_obstacle(profile, l - 1) &&
                          profile.layers[l - 1].input_gradient_cycles > 3;
    if (l > 0 && processor + 1 < processors && random() % 2 == 0) ++processor;
    if (l > 0 && can_part && processor == allocation.layers[l - 1].processor + 1 &&
        processor + 1 < processors && random() % 2 == 0) {
      ++processor;
    }
    allocation.layers.push_back({processor, {}});
  }
  for (std::size_t l = 0; l + 1 < profile.layers.size(); ++l) {
    Placement& placement = allocation.layers[l];
    const ProcessorId next = allocation.layers[l + 1].processor;
    if (next == placement.processor || lending_obstacle(profile, l)) continue;
    const std::int64_t cycles = profile.layers[l].input_gradient_cycles;
    const auto part = [&](ProcessorId borrower, std::int64_t of) {
      placement.borrowed.push_back(
          {borrower, static_cast<double>(of) / static_cast<double>(cycles), of});
    };
    const bool has_between = next > placement.processor + 1;
    const bool reaches = allocation.layers[*profile.layers[l].borrower].processor == next;
    std::int64_t left = cycles;
    if (has_between) {
      const std::int64_t between = 1 + static_cast<std::int64_t>(random() % 3) * (cycles - 2) / 2;
      part(placement.processor + 1, between);
      left -= between;
    }
    if (!reaches || left == 0) continue;
    part(next, 1 + static_cast<std::int64_t>(random() % 4) * (left - 1) / 3);
  }
  return layerpipe_schedule(lending, profile, allocation, processors);
}

Case make_case(std::uint64_t seed, const char* scheduler) {
  Case made;
  const machine::Machine machine = test_machine(1 + seed % 11, 16.0, 3.0);
  made.profile = costs::profile(machine, random_graph(1 + seed % 12, seed));
  SchedulerOptions options;
  options.split = std::array{Split::ideal, Split::channels, Split::batch}[seed / 11 % 3];
  made.schedule = scheduler == lending
                      ? random_lending(made.profile, machine.processors.size(), seed)
                      : find_scheduler(scheduler).plan(made.profile, machine, options).schedule;
  check(made.schedule, made.profile);
  // Slow channels on some seeds: much waits to be sent.
  const std::int64_t bytes_per_cycle = 1 + static_cast<std::int64_t>(seed % 16);
  made.table = timetable(made.schedule, minibatches, [&](TensorId id) {
    return 3 + made.schedule.tensors[id].bytes / bytes_per_cycle;
  });
  made.delays = layer_delays(made.schedule);
  return made;
}

class Intervals {
 public:
  explicit Intervals(const Case& of) : case_(of), schedule_(of.schedule), table_(of.table) {
    for (std::size_t l = 0; l < of.profile.layers.size(); ++l) add_weights(l);
    for (std::int64_t m = 0; m < minibatches; ++m) add_minibatch(m);
  }

  /// [kind], then of the total.
  [[nodiscard]] std::vector<std::int64_t> peaks(ProcessorId processor) const {
    std::map<std::int64_t, std::vector<std::int64_t>> more;  // [date]
    for (const Interval& held : list_) {
      if (held.processor != processor || held.from >= held.to) continue;
      more.try_emplace(held.from, kinds).first->second[held.kind] += held.bytes;
      more.try_emplace(held.to, kinds).first->second[held.kind] -= held.bytes;
    }
    std::vector<std::int64_t> now(kinds + 1, 0);
    std::vector<std::int64_t> peak(kinds + 1, 0);
    for (const auto& [date, changes] : more) {
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        now[kind] += changes[kind];
        now[kinds] += changes[kind];
      }
      for (std::size_t i = 0; i <= kinds; ++i) peak[i] = std::max(peak[i], now[i]);
    }
    return peak;
  }

 private:
  /// Date of its arrival, and its bytes.
  using Sent = std::pair<std::int64_t, std::int64_t>;

  /// Processor, and a text that tells things of one minibatch apart.
  using Key = std::pair<ProcessorId, std::string>;

  [[nodiscard]] std::int64_t start(OpId op, std::int64_t m) const {
    return table_.ops[op][static_cast<std::size_t>(m)].start;
  }
  [[nodiscard]] std::int64_t end(OpId op, std::int64_t m) const {
    return m < minibatches ? table_.ops[op][static_cast<std::size_t>(m)].end : forever;
  }
  [[nodiscard]] std::int64_t arrival(TensorId id, std::int64_t m) const {
    const auto& spans = table_.transfers[id];
    return m < static_cast<std::int64_t>(spans.size()) ? spans[static_cast<std::size_t>(m)].end
                                                       : forever;
  }
  [[nodiscard]] std::vector<OpId> ops_of(std::size_t layer, OpKind kind) const {
    std::vector<OpId> ops;
    for (OpId op = 0; op < schedule_.ops.size(); ++op) {
      for (const OpPart& part : schedule_.ops[op].parts) {
        if (part.layer == layer && part.kind == kind) ops.push_back(op);
      }
    }
    return ops;
  }
  [[nodiscard]] OpId forward(std::size_t layer) const {
    return ops_of(layer, OpKind::forward).front();
  }
  [[nodiscard]] OpId weight_gradient(std::size_t layer) const {
    return ops_of(layer, OpKind::weight_gradient).front();
  }
  [[nodiscard]] ProcessorId home(std::size_t layer) const {
    return schedule_.ops[forward(layer)].processor;
  }

  /// Brings what a borrower lacks for weightless layers: sent, but of no value.
  [[nodiscard]] bool is_weightless(const Edge& edge) const {
    if (edge.tensor == Edge::no_tensor || edge.input != InputKind::gradient) return false;
    const Tensor& tensor = schedule_.tensors[edge.tensor];
    return tensor.value == Tensor::no_value && tensor.tensor_class != TensorClass::local;
  }

  void add_weights(std::size_t layer) {
    const std::int64_t staleness = case_.delays[layer].staleness;
    for (std::int64_t version = 0; version <= minibatches; ++version) {
      const std::int64_t made = version == 0 ? 0 : end(weight_gradient(layer), version - 1);
      std::int64_t let_go = std::max(end(forward(layer), version + staleness),
                                     end(weight_gradient(layer), version + staleness));
      for (const OpId op : ops_of(layer, OpKind::input_gradient)) {
        if (schedule_.ops[op].processor != home(layer)) continue;
        let_go = std::max(let_go, end(op, version + staleness));
      }
      list_.push_back(
          {home(layer), weights, made, let_go, case_.profile.layers[layer].parameter_bytes});
      std::vector<Sent> sent;
      for (const Edge& edge : schedule_.edges) {
        if (edge.input != InputKind::weights) continue;
        const Tensor& tensor = schedule_.tensors[edge.tensor];
        if (tensor.layer != layer) continue;
        const std::int64_t there = version == 0 ? 0 : arrival(edge.tensor, version - 1);
        if (there == forever) continue;
        list_.push_back({tensor.destination, weights, there,
                         end(edge.to, version + edge.tokens - 1), tensor.bytes});
        if (version > 0) sent.push_back({there, tensor.bytes});
      }
      if (schedule_.split == Split::batch) {
        add_unsent(home(layer), let_go, sent);
      } else {
        for (const Sent& slice : sent) add_unsent(home(layer), let_go, {slice});
      }
    }
  }

  void add_minibatch(std::int64_t m) {
    std::map<Key, Held> values;
    for (std::size_t v = 0; v < case_.profile.values.size(); ++v) add_value(v, m, values);
    std::size_t i = 0;
    for (const NetworkInput& input : case_.profile.network_inputs) {
      const std::string name = "input" + std::to_string(i++);
      for (const Value::Use& use : input.uses) {
        Held& held = values[{home(use.layer), name}];
        held.bytes = input.bytes;
        held.from = forever;  // is never queued
        use_value(held, use, m);
      }
    }
    for (const auto& [key, held] : values) {
      const std::int64_t used = held.first_use == forever ? held.from : held.first_use;
      list_.push_back({key.first, queued, held.from, used, held.bytes});
      list_.push_back({key.first, activations, used, held.to, held.bytes});
      const std::int64_t unneeded = std::max(held.from, held.to);
      if (held.sent >= 0) list_.push_back({key.first, queued, unneeded, held.sent, held.bytes});
    }
    add_weightless(m);
    add_gradients(m);
  }

  void use_value(Held& held, const Value::Use& use, std::int64_t m) {
    held.first_use = std::min(held.first_use, start(forward(use.layer), m));
    held.need(end(forward(use.layer), m));
    if (use.by_gemm) held.need(end(weight_gradient(use.layer), m));
  }

  void add_value(std::size_t v, std::int64_t m, std::map<Key, Held>& values) {
    const Value& value = case_.profile.values[v];
    const std::string name = std::to_string(v);
    const auto copy = [&](ProcessorId processor) -> Held& {
      Held& held = values[{processor, name}];
      held.bytes = value.activation_bytes;
      return held;
    };
    copy(home(value.layer)).from = end(forward(value.layer), m);
    for (const Value::Use& use : value.uses) use_value(copy(home(use.layer)), use, m);
    std::set<TensorId> seen;
    for (const Edge& edge : schedule_.edges) {
      if (edge.tensor == Edge::no_tensor || edge.input != InputKind::activation) continue;
      const Tensor& tensor = schedule_.tensors[edge.tensor];
      if (tensor.value != v || !seen.insert(edge.tensor).second) continue;
      copy(tensor.destination).from = arrival(edge.tensor, m);
      Held& source = copy(tensor.source);
      source.sent = std::max(source.sent, arrival(edge.tensor, m));
    }
    if (!value.shows_signs) return;
    copy(home(value.layer)).need(end(weight_gradient(value.layer), m));
    for (const OpId op : ops_of(value.layer, OpKind::input_gradient)) {
      const auto there = values.find({schedule_.ops[op].processor, name});
      if (there != values.end()) there->second.need(end(op, m));
    }
  }

  void add_weightless(std::int64_t m) {
    for (std::size_t l = 0; l < case_.profile.layers.size(); ++l) {
      Held own{case_.profile.layers[l].kept_weightless_bytes, end(forward(l), m)};
      std::vector<Sent> sent;
      own.need(end(weight_gradient(l), m));
      for (const OpId op : ops_of(l, OpKind::input_gradient)) {
        if (schedule_.ops[op].processor == home(l)) own.need(end(op, m));
        for (const Edge& edge : schedule_.edges) {
          if (edge.to != op || !is_weightless(edge)) continue;
          const Tensor& tensor = schedule_.tensors[edge.tensor];
          sent.push_back({arrival(edge.tensor, m), tensor.bytes});
          list_.push_back(
              {tensor.destination, activations, arrival(edge.tensor, m), end(op, m), tensor.bytes});
        }
      }
      list_.push_back({home(l), activations, own.from, own.to, own.bytes});
      add_unsent(home(l), own.to, sent);
    }
  }

  /// Of what goes to several processors, as much as the greatest that has not arrived.
  void add_unsent(ProcessorId processor, std::int64_t from, std::vector<Sent> sent) {
    std::sort(sent.begin(), sent.end());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      std::int64_t bytes = 0;
      for (std::size_t later = i; later < sent.size(); ++later) {
        bytes = std::max(bytes, sent[later].second);
      }
      list_.push_back({processor, queued, from, sent[i].first, bytes});
      from = std::max(from, sent[i].first);
    }
  }

  /// The most that a whole backward pass has made and holds when one of its parts has ended.
  [[nodiscard]] std::int64_t bytes_within(OpId op) const {
    const std::vector<OpPart>& parts = schedule_.ops[op].parts;
    const auto end_of = [&](OpKind kind, std::size_t layer) {
      const auto part = std::find_if(parts.begin(), parts.end(), [&](const OpPart& candidate) {
        return candidate.kind == kind && candidate.layer == layer;
      });
      return static_cast<std::size_t>(part - parts.begin());  // how many there are, if none is
    };
    std::int64_t most = 0;
    for (std::size_t now = 0; now + 1 < parts.size(); ++now) {
      std::int64_t bytes = 0;
      for (const Value& value : case_.profile.values) {
        std::int64_t made = 0;
        bool is_complete = true;
        const auto contribution = [&](std::size_t part) {
          if (part == parts.size()) return;
          made += part <= now ? 1 : 0;
          is_complete = is_complete && part <= now;
        };
        for (const Value::Use& use : value.uses) {
          if (use.by_gemm) contribution(end_of(OpKind::input_gradient, use.layer));
          if (use.by_others) contribution(end_of(OpKind::weight_gradient, use.layer));
        }
        if (end_of(OpKind::weight_gradient, value.layer) <= now) made = 0;
        bytes += (is_complete ? std::min<std::int64_t>(made, 1) : made) * value.gradient_bytes;
      }
      most = std::max(most, bytes);
    }
    return most;
  }

  void add_gradients(std::int64_t m) {
    const auto held = schedule_.name == "pipedream" ? held_between_stages : held_gradients;
    for (const HeldGradient& gradient : held(case_.profile, schedule_, table_, m)) {
      list_.push_back({gradient.processor, gradients, gradient.from, gradient.to, gradient.bytes});
    }
    for (OpId op = 0; op < schedule_.ops.size(); ++op) {
      list_.push_back(
          {schedule_.ops[op].processor, gradients, start(op, m), end(op, m), bytes_within(op)});
    }
    for (std::size_t l = 0; l < case_.profile.layers.size(); ++l) {
      list_.push_back({home(l), gradients, start(weight_gradient(l), m), end(weight_gradient(l), m),
                       case_.profile.layers[l].parameter_gradient_bytes});
    }
  }

  const Case& case_;
  const Schedule& schedule_;
  const Timetable& table_;
  std::vector<Interval> list_;
};

constexpr const char* schedulers[] = {"pipedream", "layerpipe", "layerpipe-strict",
                                      "layerpipe-optimal", lending};

/// Processors that compute parts of input gradients and hold no layer.
std::size_t stages_without_layers(const Schedule& schedule) {
  std::set<ProcessorId> with_layers;
  for (const Op& op : schedule.ops) {
    if (op.parts.front().kind == OpKind::forward) with_layers.insert(op.processor);
  }
  return schedule.stages - with_layers.size();
}

TEST(MemoryProperty, PeaksAreThoseOfTheIntervalsInWhichSomethingIsHeld) {
  std::size_t without_layers = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    for (const char* scheduler : schedulers) {
      SCOPED_TRACE(std::string(scheduler) + ", seed " + std::to_string(seed));
      const Case made = make_case(seed, scheduler);
      without_layers += stages_without_layers(made.schedule);
      metrics::LiveMemory memory(made.schedule, made.profile);
      metrics::replay(made.table, memory);
      const Intervals intervals(made);
      for (ProcessorId p = 0; p < made.schedule.orders.size(); ++p) {
        const metrics::MemoryBytes peak = memory.peak(p);
        EXPECT_EQ(
            (std::vector{peak.weights, peak.activations, peak.gradients, peak.queued, peak.total}),
            intervals.peaks(p))
            << "processor " << p;
      }
    }
  }
  EXPECT_GT(without_layers, 10U);
}

}  // namespace
}  // namespace layerpipe::tests
