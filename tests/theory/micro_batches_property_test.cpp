#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "platforms/machine/transfer.hpp"
#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/contract/layer_delays.hpp"
#include "scheduler/discipline/disciplines.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/metrics/live_memory.hpp"
#include "sim/metrics/replay.hpp"
#include "sim/process/isolated_process.hpp"
#include "sim/run/run.hpp"
#include "tests/support/mesh_platform.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_options.hpp"
#include "tests/support/test_machine.hpp"

// What has to hold for every schedule in micro-batches, on random chains and graphs, with whole and
// with borrowed input gradients. That the simulation has the same dates as the recurrence is the
// subject of engine_against_recurrence_test.cpp.
namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace scheduler;
using namespace theory;
using discipline::Discipline;

constexpr std::uint64_t seeds = 100;  ///< of each discipline
constexpr std::int64_t minibatches = 3;
constexpr std::size_t most_processors = 6;

struct Case {
  const Discipline& discipline;
  Profile profile;  ///< of a micro-batch
  machine::Machine machine;
  network::Network network;
  placement::SchedulerOptions options;
  Schedule schedule;

  [[nodiscard]] std::int64_t micro_batches() const { return *options.micro_batches; }

  [[nodiscard]] std::int64_t transfer_cycles(TensorId id) const {
    const Tensor& tensor = schedule.tensors[id];
    if (tensor.tensor_class == TensorClass::local) return 0;
    return machine::transfer_cycles(machine, machine.route(tensor.source, tensor.destination),
                                    tensor.bytes);
  }

  [[nodiscard]] Timetable run(std::int64_t count) const {
    return timetable(schedule, count, [&](TensorId id) { return transfer_cycles(id); });
  }
};

/// A chain of convolutions where `seed` is divisible by 3, else any graph.
network::Network draw_network(std::size_t layers, std::uint64_t seed) {
  network::Network network = random_graph(layers, seed);
  if (seed % 3 != 0) return network;
  network::Network chain = network;
  chain.layers.clear();
  for (const network::Layer& layer : network.layers) {
    if (!has_gemm(layer)) continue;
    network::Layer& added = chain.layers.emplace_back(layer);
    const std::size_t place = chain.layers.size() - 1;
    added.inputs = {place == 0 ? network::Layer::network_input : place - 1};
    added.input = place == 0 ? network.input : chain.layers[place - 1].output;
  }
  return chain;
}

Case make_case(const Discipline& discipline, std::uint64_t seed, const machine::Machine& all) {
  std::mt19937_64 random(seed);
  const Scheduler& scheduler = find_scheduler(discipline.name);
  const std::size_t layers = 1 + random() % 12;
  const DrawnOptions draw = draw_options(scheduler, layers, most_processors, random);
  network::Network network = draw_network(layers, seed);
  network.batch = *draw.options.micro_batches * static_cast<std::int64_t>(1 + random() % 3);
  machine::Machine machine = first_processors(all, draw.processors);
  Profile profile =
      costs::profile(machine, network, {random() % 2 == 0, *draw.options.micro_batches});
  Schedule schedule = scheduler.plan(profile, machine, draw.options).schedule;
  check(schedule, profile);
  return {discipline,         std::move(profile), std::move(machine),
          std::move(network), draw.options,       std::move(schedule)};
}

/// Calls `expect(case)` for each.
template <class Expect>
void for_each_case(Expect expect) {
  const machine::Machine machine = test_machine(most_processors, 16.0, 3.0);
  for (const Discipline& discipline : discipline::disciplines()) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      SCOPED_TRACE(fmt::format("{}, seed {}", discipline.name, seed));
      expect(make_case(discipline, seed, machine));
    }
  }
}

bool borrows(const Schedule& schedule) {
  return std::ranges::any_of(schedule.tensors, [](const Tensor& tensor) {
    return tensor.tensor_class == TensorClass::additional_weights;
  });
}

/// Else what follows says nothing.
TEST(MicroBatchesProperty, CasesAreOfAllKinds) {
  std::map<std::string_view, std::size_t> several_stages;
  std::map<std::string_view, std::size_t> borrowing;
  for_each_case([&](const Case& made) {
    const bool is_pipeline = made.schedule.stages > 1 && made.micro_batches() > 1;
    several_stages[made.discipline.name] += is_pipeline ? 1U : 0U;
    borrowing[made.discipline.name] += borrows(made.schedule) ? 1U : 0U;
  });
  for (const Discipline& discipline : discipline::disciplines()) {
    EXPECT_GT(several_stages[discipline.name], seeds / 3) << discipline.name;
    if (discipline.has_chunks) continue;
    EXPECT_GT(borrowing[discipline.name], seeds / 20) << discipline.name;
  }
}

/// A minibatch takes each processor m times what a micro-batch does, and all of them together m
/// times what the network costs.
TEST(MicroBatchesProperty, ProcessorsAreBusyForEveryMicroBatchAlike) {
  for_each_case([](const Case& made) {
    std::vector<std::int64_t> busy(made.schedule.orders.size(), 0);
    std::vector<std::int64_t> in_one(made.schedule.orders.size(), 0);
    std::int64_t all = 0;
    const Timetable table = made.run(minibatches);
    for (OpId op = 0; op < made.schedule.ops.size(); ++op) {
      const std::size_t processor = made.schedule.ops[op].processor;
      for (const Span& span : table.ops[op]) busy[processor] += span.end - span.start;
      for (const OpPart& part : made.schedule.ops[op].parts) {
        if (part.micro_batch == 0) in_one[processor] += part.cycles;
      }
    }
    for (std::size_t p = 0; p < busy.size(); ++p) {
      EXPECT_EQ(busy[p], minibatches * made.micro_batches() * in_one[p]) << "processor " << p;
      all += busy[p];
    }
    if (made.options.split != Split::ideal) return;
    EXPECT_EQ(all, minibatches * made.micro_batches() * total_cycles(made.profile));
  });
}

/// The longest ways through one minibatch, transfers included, if nobody ever waits for a processor
/// or a channel.
class LongestWays {
 public:
  explicit LongestWays(const Case& of) : case_(of) {
    const Schedule& schedule = of.schedule;
    const std::size_t ops = schedule.ops.size();
    successors_.resize(ops + schedule.tensors.size());
    for (TensorId id = 0; id < schedule.tensors.size(); ++id) {
      for (const OpId op : schedule.tensors[id].producers) successors_[op].push_back(ops + id);
      for (const TensorId part : schedule.tensors[id].parts) {
        successors_[ops + part].push_back(ops + id);
      }
    }
    for (const Edge& edge : schedule.edges) {
      if (edge.tokens > 0) continue;
      const bool is_sent = edge.tensor != Edge::no_tensor;
      successors_[is_sent ? ops + edge.tensor : edge.from].push_back(edge.to);
    }
    sort();
  }

  /// [op]: cycles before it can start, and after it has ended.
  [[nodiscard]] std::vector<std::int64_t> before() const {
    std::vector<std::int64_t> ways(successors_.size(), 0);
    for (const std::size_t node : order_) {
      for (const std::size_t next : successors_[node]) {
        ways[next] = std::max(ways[next], ways[node] + length(node));
      }
    }
    return ways;
  }
  [[nodiscard]] std::vector<std::int64_t> after() const {
    std::vector<std::int64_t> ways(successors_.size(), 0);
    for (auto node = order_.rbegin(); node != order_.rend(); ++node) {
      for (const std::size_t next : successors_[*node]) {
        ways[*node] = std::max(ways[*node], ways[next] + length(next));
      }
    }
    return ways;
  }

 private:
  [[nodiscard]] std::int64_t length(std::size_t node) const {
    const std::vector<Op>& ops = case_.schedule.ops;
    return node < ops.size() ? cycles(ops[node]) : case_.transfer_cycles(node - ops.size());
  }

  void sort() {
    std::vector<std::size_t> missing(successors_.size(), 0);
    for (const auto& successors : successors_) {
      for (const std::size_t next : successors) ++missing[next];
    }
    for (std::size_t node = 0; node < missing.size(); ++node) {
      if (missing[node] == 0) order_.push_back(node);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      for (const std::size_t next : successors_[order_[i]]) {
        if (--missing[next] == 0) order_.push_back(next);
      }
    }
  }

  const Case& case_;
  std::vector<std::vector<std::size_t>> successors_;
  std::vector<std::size_t> order_;
};

/// The work of each processor fits between the shortest way to it and the shortest way from it.
TEST(MicroBatchesProperty, NoMinibatchIsFasterThanItsWorkAndItsWay) {
  for_each_case([](const Case& made) {
    const LongestWays ways(made);
    const std::vector<std::int64_t> before = ways.before();
    const std::vector<std::int64_t> after = ways.after();
    const std::int64_t makespan = made.run(1).makespan;
    const std::vector<std::int64_t> work = processor_cycles(made.schedule);
    for (std::size_t p = 0; p < work.size(); ++p) {
      std::int64_t in = makespan;
      std::int64_t out = makespan;
      for (OpId op = 0; op < made.schedule.ops.size(); ++op) {
        if (made.schedule.ops[op].processor != p) continue;
        in = std::min(in, before[op]);
        out = std::min(out, after[op]);
      }
      if (work[p] > 0) {
        EXPECT_GE(makespan, in + work[p] + out) << "processor " << p;
      }
    }
  });
}

std::vector<OpId> ops_of(const Schedule& schedule, OpKind kind, std::size_t layer) {
  std::vector<OpId> ops;
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    for (const OpPart& part : schedule.ops[op].parts) {
      if (part.kind == kind && part.layer == layer) ops.push_back(op);
    }
  }
  return ops;
}

/// An update takes the weight gradients of all micro-batches: no forward pass starts before those
/// of the minibatch by which its weights are made have ended, and the update is the last of them.
TEST(MicroBatchesProperty, UpdatesTakeEveryMicroBatch) {
  for_each_case([](const Case& made) {
    const Timetable table = made.run(minibatches);
    for (const LayerDelays& delays : layer_delays(made.schedule)) {
      EXPECT_EQ(delays.staleness, made.discipline.staleness) << "layer " << delays.layer;
    }
    for (std::size_t l = 0; l < made.profile.layers.size(); ++l) {
      const std::vector<OpId> gradients = ops_of(made.schedule, OpKind::weight_gradient, l);
      std::size_t updates = 0;
      for (std::size_t m = 0; m < minibatches; ++m) {
        std::int64_t last = 0;
        for (const OpId op : gradients) last = std::max(last, table.ops[op][m].end);
        for (const OpId op : gradients) {
          if (std::ranges::count(made.schedule.updates, op) == 0) continue;
          ++updates;
          EXPECT_EQ(table.ops[op][m].end, last) << describe(made.schedule, op);
        }
        const std::size_t next = m + 1 + static_cast<std::size_t>(made.discipline.staleness);
        if (next >= minibatches) continue;
        for (const OpId op : ops_of(made.schedule, OpKind::forward, l)) {
          EXPECT_GE(table.ops[op][next].start, last) << describe(made.schedule, op);
        }
      }
      EXPECT_EQ(updates, static_cast<std::size_t>(minibatches)) << "layer " << l;
    }
  });
}

std::map<TensorClass, std::int64_t> bytes_by_class(const Schedule& schedule) {
  std::map<TensorClass, std::int64_t> bytes;
  for (const Tensor& tensor : schedule.tensors) bytes[tensor.tensor_class] += tensor.bytes;
  return bytes;
}

/// A discipline that has the same operations, for any number of micro-batches.
std::string_view for_one_micro_batch(std::string_view name) {
  if (name == "interleaved-1f1b") return "looped-bfs";
  if (name == "zb-h2") return "zb-h1";
  if (name == "pipedream-2bw") return "gpipe";
  return name;
}

/// The same layers in the same places send what one micro-batch does as often as there are
/// micro-batches; what is borrowed of weights is sent once.
TEST(MicroBatchesProperty, BytesAreThoseOfEachMicroBatchAndOfTheWeightsOnce) {
  for_each_case([](const Case& made) {
    placement::SchedulerOptions one = made.options;
    one.micro_batches = 1;
    std::map<TensorClass, std::int64_t> expected =
        bytes_by_class(find_scheduler(for_one_micro_batch(made.discipline.name))
                           .plan(made.profile, made.machine, one)
                           .schedule);
    for (auto& [tensor_class, bytes] : expected) {
      if (tensor_class != TensorClass::additional_weights) bytes *= made.micro_batches();
    }
    EXPECT_EQ(bytes_by_class(made.schedule), expected);
  });
}

/// What differs between the result of a run and what the recurrence says.
std::string wrong_in_run(const Case& made) {
  const metrics::Result result = run::run({.machine = made.machine,
                                           .network = made.network,
                                           .profile = made.profile,
                                           .scheduler = find_scheduler(made.discipline.name),
                                           .scheduler_options = made.options,
                                           .iterations = minibatches,
                                           .options = {}});
  const Timetable table = made.run(minibatches);
  metrics::LiveMemory memory(made.schedule, made.profile);
  metrics::replay(table, memory);
  const std::vector<std::int64_t> work = processor_cycles(made.schedule);
  std::string wrong;
  const auto expect = [&](const char* what, std::size_t p, std::int64_t is, std::int64_t due) {
    if (is != due) wrong += fmt::format("{} of processor {}: {}, not {}\n", what, p, is, due);
  };
  expect("makespan", 0, result.makespan_cycles, table.makespan);
  for (std::size_t p = 0; p < result.processors.size(); ++p) {
    const metrics::ProcessorResult& processor = result.processors[p];
    expect("busy cycles", p, processor.busy_cycles, minibatches * work[p]);
    expect("peak", p, processor.peak_memory_bytes.total, memory.peak(p).total);
  }
  for (const metrics::LayerResult& layer : result.layers) {
    expect("staleness", 0, layer.staleness, made.discipline.staleness);
  }
  return wrong;
}

/// With all its metrics and checks: nothing is missing or sent twice, no link carries too much.
TEST(MicroBatchesProperty, RunsAreThoseOfTheRecurrence) {
  const std::string platform = write_mesh_platform(most_processors, false);
  EXPECT_EQ(process::run_isolated([&] {
              const machine::Machine mesh = engine::load_machine(platform);
              std::string wrong;
              for (const Discipline& discipline : discipline::disciplines()) {
                for (std::uint64_t seed = 0; seed < 12; ++seed) {
                  const std::string found = wrong_in_run(make_case(discipline, seed, mesh));
                  if (found.empty()) continue;
                  wrong += fmt::format("{}, seed {}:\n{}", discipline.name, seed, found);
                }
              }
              return wrong;
            }),
            "");
}

}  // namespace
}  // namespace layerpipe::tests
