#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "platforms/machine/transfer.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/process/isolated_process.hpp"
#include "sim/run/run.hpp"
#include "tests/support/measured_chain.hpp"
#include "tests/support/mesh_platform.hpp"
#include "workloads/base/error.hpp"

// What processors hold in micro-batches on a chain with one layer on each, counted a second time:
// from a list of the intervals in which docs/model.md says that something is held.
namespace layerpipe::tests {
namespace {

using namespace contract;
using costs::OpKind;
using theory::Timetable;

constexpr int processors = 6;
constexpr std::int64_t minibatches = 3;
constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

enum Kind { weights, activations, gradients, queued, kinds };

struct Interval {
  std::size_t processor = 0;
  Kind kind = weights;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t bytes = 0;
};

/// [kind], then of the total; at a date counts what is left when all of it has happened.
std::vector<std::int64_t> peaks(const std::vector<Interval>& held, std::size_t processor) {
  std::map<std::int64_t, std::vector<std::int64_t>> changes;
  for (const Interval& one : held) {
    if (one.processor != processor || one.from >= one.to) continue;
    for (const auto& [date, bytes] : {std::pair(one.from, one.bytes), {one.to, -one.bytes}}) {
      std::vector<std::int64_t>& change = changes.try_emplace(date, kinds + 1).first->second;
      change[one.kind] += bytes;
      change[kinds] += bytes;
    }
  }
  std::vector<std::int64_t> now(kinds + 1, 0);
  std::vector<std::int64_t> peak(kinds + 1, 0);
  for (const auto& [date, change] : changes) {
    for (std::size_t i = 0; i <= kinds; ++i) {
      now[i] += change[i];
      peak[i] = std::max(peak[i], now[i]);
    }
  }
  return peak;
}

/// The operations of one layer and micro-batch: a whole backward pass is both of the latter.
struct Ops {
  OpId forward = 0;
  std::vector<OpId> input_gradient;
  OpId weight_gradient = 0;
};

struct Case {
  machine::Machine machine;
  std::vector<LayerCosts> layers;  ///< of a micro-batch
  network::Network network;
  costs::Profile profile;
  placement::SchedulerOptions options;
  Schedule schedule;
  Timetable table;

  [[nodiscard]] std::size_t micro_batches() const { return schedule.micro_batches; }

  [[nodiscard]] std::int64_t start(OpId op, std::size_t m) const { return table.ops[op][m].start; }
  [[nodiscard]] std::int64_t end(OpId op, std::size_t m) const {
    return m < minibatches ? table.ops[op][m].end : forever;
  }
  [[nodiscard]] std::int64_t arrival(TensorId id, std::size_t m) const {
    const auto& spans = table.transfers[id];
    return m < spans.size() ? spans[m].end : forever;
  }

  [[nodiscard]] Ops ops(std::size_t layer, std::size_t micro_batch) const {
    Ops found;
    for (OpId op = 0; op < schedule.ops.size(); ++op) {
      for (const OpPart& part : schedule.ops[op].parts) {
        if (part.layer != layer || part.micro_batch != micro_batch) continue;
        if (part.kind == OpKind::forward) found.forward = op;
        if (part.kind == OpKind::input_gradient) found.input_gradient.push_back(op);
        if (part.kind == OpKind::weight_gradient) found.weight_gradient = op;
      }
    }
    return found;
  }

  /// The one that `to` waits for.
  [[nodiscard]] TensorId tensor(OpId to, InputKind input) const {
    for (const Edge& edge : schedule.edges) {
      if (edge.to == to && edge.input == input && edge.tensor != Edge::no_tensor) {
        return edge.tensor;
      }
    }
    throw InternalError("no such tensor");
  }
};

Case make_case(const std::string& name, const machine::Machine& mesh,
               const placement::SchedulerOptions& options, std::mt19937_64& random,
               std::size_t layers) {
  const auto up_to = [&](std::uint64_t most) {
    return static_cast<std::int64_t>(1 + random() % most);
  };
  Case made;
  made.options = options;
  for (std::size_t l = 0; l < layers; ++l) {
    made.layers.push_back({up_to(90), up_to(90), up_to(90), up_to(900), up_to(900)});
  }
  made.machine = mesh;
  made.network = measured_chain(made.layers, *options.micro_batches);
  made.profile =
      costs::profile(made.machine, made.network, {.micro_batches = *options.micro_batches});
  made.schedule =
      scheduler::find_scheduler(name).plan(made.profile, made.machine, options).schedule;
  made.table = theory::timetable(made.schedule, minibatches, [&](TensorId id) {
    const Tensor& tensor = made.schedule.tensors[id];
    return transfer_cycles(made.machine, made.machine.route(tensor.source, tensor.destination),
                           tensor.bytes);
  });
  return made;
}

metrics::Result result_of(const Case& made) {
  return run::run({.machine = made.machine,
                   .network = made.network,
                   .profile = made.profile,
                   .scheduler = scheduler::find_scheduler(made.schedule.name),
                   .scheduler_options = made.options,
                   .iterations = minibatches,
                   .options = {}});
}

/// All that is held where layer l lies on processor l.
class Held {
 public:
  Held(const Case& of, std::int64_t staleness) : case_(of) {
    for (std::size_t l = 0; l < of.layers.size(); ++l) {
      add_weights(l, static_cast<std::size_t>(staleness));
      for (std::size_t m = 0; m < minibatches; ++m) {
        add_weight_gradient(l, m);
        for (std::size_t j = 0; j < of.micro_batches(); ++j) {
          add_values(l, j, m);
          add_gradients(l, j, m);
        }
      }
    }
  }

  [[nodiscard]] const std::vector<Interval>& list() const { return list_; }

 private:
  /// Of the last micro-batch that has one.
  [[nodiscard]] std::int64_t last_weight_gradient(std::size_t l, std::size_t m) const {
    std::int64_t last = 0;
    for (std::size_t j = 0; j < case_.micro_batches(); ++j) {
      last = std::max(last, case_.end(case_.ops(l, j).weight_gradient, m));
    }
    return last;
  }

  void add_weights(std::size_t l, std::size_t staleness) {
    for (std::size_t version = 0; version <= minibatches; ++version) {
      list_.push_back({l, weights, version == 0 ? 0 : last_weight_gradient(l, version - 1),
                       last_weight_gradient(l, version + staleness), case_.layers[l].weight_bytes});
    }
  }

  void add_weight_gradient(std::size_t l, std::size_t m) {
    std::int64_t first = forever;
    for (std::size_t j = 0; j < case_.micro_batches(); ++j) {
      first = std::min(first, case_.start(case_.ops(l, j).weight_gradient, m));
    }
    list_.push_back(
        {l, gradients, first, last_weight_gradient(l, m), case_.layers[l].weight_bytes});
  }

  /// The layer's input, and its output until that has arrived.
  void add_values(std::size_t l, std::size_t j, std::size_t m) {
    const Ops ops = case_.ops(l, j);
    if (l > 0) {
      const std::int64_t bytes = case_.layers[l - 1].activation_bytes;
      const std::int64_t there = case_.arrival(case_.tensor(ops.forward, InputKind::activation), m);
      const std::int64_t used = case_.start(ops.forward, m);
      list_.push_back({l, queued, there, used, bytes});
      list_.push_back({l, activations, used, case_.end(ops.weight_gradient, m), bytes});
    }
    if (l + 1 == case_.layers.size()) return;
    const TensorId sent = case_.tensor(case_.ops(l + 1, j).forward, InputKind::activation);
    list_.push_back({l, queued, case_.end(ops.forward, m), case_.arrival(sent, m),
                     case_.layers[l].activation_bytes});
  }

  /// At its output, and at its input until that has arrived; within a whole backward pass the
  /// latter from its start.
  void add_gradients(std::size_t l, std::size_t j, std::size_t m) {
    const Ops ops = case_.ops(l, j);
    const bool is_last = l + 1 == case_.layers.size();
    const OpId first_user =
        ops.input_gradient.empty() ? ops.weight_gradient : ops.input_gradient.front();
    const std::int64_t there =
        is_last ? case_.end(ops.forward, m)
                : case_.arrival(case_.tensor(first_user, InputKind::gradient), m);
    const std::int64_t unneeded =
        std::max(case_.end(first_user, m), case_.end(ops.weight_gradient, m));
    list_.push_back({l, gradients, there, unneeded, case_.layers[l].activation_bytes});
    if (ops.input_gradient.empty()) return;
    const OpId made_by = ops.input_gradient.front();
    const std::int64_t made = case_.end(made_by, m);
    const Ops before = case_.ops(l - 1, j);
    const OpId taken_by =
        before.input_gradient.empty() ? before.weight_gradient : before.input_gradient.front();
    const std::int64_t bytes = case_.layers[l - 1].activation_bytes;
    list_.push_back(
        {l, gradients, made, case_.arrival(case_.tensor(taken_by, InputKind::gradient), m), bytes});
    if (made_by == ops.weight_gradient) {
      list_.push_back({l, gradients, case_.start(made_by, m), made, bytes});
    }
  }

  const Case& case_;
  std::vector<Interval> list_;
};

std::vector<std::int64_t> to_list(const metrics::MemoryBytes& peak) {
  return {peak.weights, peak.activations, peak.gradients, peak.queued, peak.total};
}

std::string difference(const std::string& name, const std::vector<std::int64_t>& is,
                       const std::vector<std::int64_t>& expected) {
  return is == expected ? ""
                        : fmt::format("{}: {}, expected {}\n", name, fmt::join(is, " "),
                                      fmt::join(expected, " "));
}

/// On a mesh of processors, in a process that has loaded it.
template <class Wrong>
std::string wrong_on_mesh(Wrong wrong) {
  const std::string platform = write_mesh_platform(processors, false);
  return process::run_isolated([&] { return wrong(engine::load_machine(platform)); });
}

TEST(MicroBatchMemory, PeaksAreThoseOfTheIntervalsInWhichSomethingIsHeld) {
  EXPECT_EQ(wrong_on_mesh([](const machine::Machine& mesh) {
              std::mt19937_64 random(1);
              std::string wrong;
              for (int i = 0; i < 72; ++i) {
                const auto p = static_cast<std::int64_t>(1 + random() % processors);
                const auto more = static_cast<std::int64_t>(random() % 5);
                const std::array<std::pair<const char*, std::int64_t>, 6> all{
                    {{"gpipe", 1 + more},
                     {"1f1b", 1 + more},
                     {"eager-1f1b", 1 + more},
                     {"zb-h1", 1 + more},
                     {"zb-h2", 2 * p - 1 + more},
                     {"pipedream-2bw", std::max<std::int64_t>(1, p - 1) + more}}};
                const auto& [name, m] = all[static_cast<std::size_t>(i) % all.size()];
                const Case made =
                    make_case(name, first_processors(mesh, static_cast<std::size_t>(p)), evenly(m),
                              random, static_cast<std::size_t>(p));
                const Held held(made, name == std::string("pipedream-2bw") ? 1 : 0);
                const metrics::Result result = result_of(made);
                for (std::size_t s = 0; s < result.processors.size(); ++s) {
                  wrong += difference(fmt::format("{}, p = {}, m = {}, stage {}", name, p, m, s),
                                      to_list(result.processors[s].peak_memory_bytes),
                                      peaks(held.list(), s));
                }
              }
              return wrong;
            }),
            "");
}

/// GPipe keeps the inputs of all micro-batches, 1F1B of min(m, p - s); weights are there once.
TEST(MicroBatchMemory, ActivationsAreOfThoseInFlight) {
  EXPECT_EQ(
      wrong_on_mesh([](const machine::Machine& mesh) {
        std::mt19937_64 random(2);
        std::string wrong;
        for (int i = 0; i < 20; ++i) {
          const auto p = static_cast<std::int64_t>(2 + random() % (processors - 1));
          const auto m = static_cast<std::int64_t>(1 + random() % 8);
          for (const char* name : {"gpipe", "1f1b"}) {
            const Case made = make_case(name, first_processors(mesh, static_cast<std::size_t>(p)),
                                        evenly(m), random, static_cast<std::size_t>(p));
            const metrics::Result result = result_of(made);
            for (std::size_t s = 1; s < result.processors.size(); ++s) {
              const std::int64_t in_flight =
                  name == std::string("gpipe") ? m : std::min(m, p - static_cast<std::int64_t>(s));
              const metrics::MemoryBytes& peak = result.processors[s].peak_memory_bytes;
              wrong += difference(
                  fmt::format("{}, p = {}, m = {}, stage {}", name, p, m, s),
                  {peak.activations, peak.weights},
                  {in_flight * made.layers[s - 1].activation_bytes, made.layers[s].weight_bytes});
            }
          }
        }
        return wrong;
      }),
      "");
}

/// Weights of layers on their processors, and of lent parts from their arrival to the end of the
/// last micro-batch's lent part.
std::vector<Interval> weights_with_lent_parts(const Case& made) {
  std::vector<Interval> held;
  for (std::size_t l = 0; l < made.layers.size(); ++l) {
    const std::size_t home = made.schedule.ops[made.ops(l, 0).forward].processor;
    held.push_back({home, weights, 0, forever, made.layers[l].weight_bytes});
  }
  for (TensorId id = 0; id < made.schedule.tensors.size(); ++id) {
    const Tensor& tensor = made.schedule.tensors[id];
    if (tensor.tensor_class != TensorClass::additional_weights) continue;
    for (std::size_t version = 0; version <= minibatches; ++version) {
      const std::int64_t there = version == 0 ? 0 : made.arrival(id, version - 1);
      if (there == forever) continue;
      std::int64_t unneeded = 0;
      for (const Edge& edge : made.schedule.edges) {
        if (edge.tensor == id) unneeded = std::max(unneeded, made.end(edge.to, version));
      }
      held.push_back({tensor.destination, weights, there, unneeded, tensor.bytes});
    }
  }
  return held;
}

TEST(MicroBatchMemory, BorrowedWeightsAreThereOnceForAllMicroBatches) {
  EXPECT_EQ(wrong_on_mesh([](const machine::Machine& mesh) {
              std::mt19937_64 random(3);
              std::string wrong;
              int lending = 0;
              for (int i = 0; i < 30; ++i) {
                placement::SchedulerOptions options =
                    evenly(static_cast<std::int64_t>(2 + random() % 6));
                options.placement = placement::PlacementRule::layerpipe_optimal;
                const char* name = i % 2 == 0 ? "1f1b" : "zb-h1";
                const Case made = make_case(name, first_processors(mesh, 2 + random() % 3), options,
                                            random, 4 + random() % 4);
                const std::vector<Interval> held = weights_with_lent_parts(made);
                if (held.size() > made.layers.size()) ++lending;
                const metrics::Result result = result_of(made);
                for (std::size_t s = 0; s < result.processors.size(); ++s) {
                  wrong += difference(fmt::format("case {}, processor {}", i, s),
                                      {result.processors[s].peak_memory_bytes.weights},
                                      {peaks(held, s)[weights]});
                }
              }
              return lending < 15 ? fmt::format("{} lend\n{}", lending, wrong) : wrong;
            }),
            "");
}

}  // namespace
}  // namespace layerpipe::tests
