#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/scheduler.hpp"
#include "sim/engine/load_machine.hpp"
#include "sim/process/isolated_process.hpp"
#include "sim/run/run.hpp"
#include "tests/support/measured_chain.hpp"
#include "tests/support/mesh_platform.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/theory/stage_use.hpp"

// Closed forms of schedules in micro-batches, reference figures R3, over wide ranges. One layer is
// one stage; p stages, m micro-batches of them F, B and W of f, b and w cycles, transfers of c.
namespace layerpipe::tests {
namespace {

using Counts = std::vector<std::int64_t>;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::int64_t from_to(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }

  /// Some of them far longer than others.
  std::int64_t cycles() { return from_to(1, from_to(0, 1) == 0 ? 9 : 900); }
  LayerCosts costs() { return {cycles(), cycles(), cycles()}; }

 private:
  std::mt19937_64 engine_;
};

std::int64_t of_all(const LayerCosts& costs) {
  return costs.forward + costs.input_gradient + costs.weight_gradient;
}

std::int64_t backward(const LayerCosts& costs) {
  return costs.input_gradient + costs.weight_gradient;
}

struct Shape {
  std::int64_t p = 1;
  std::int64_t m = 1;
  std::int64_t v = 1;  ///< stages of a processor
  std::vector<LayerCosts> stages;
  std::int64_t c = 0;
};

Shape uniform(std::int64_t p, std::int64_t m, const LayerCosts& costs, std::int64_t v = 1) {
  return {p, m, v, equal_layers(static_cast<std::size_t>(p * v), costs), 0};
}

std::string to_string(const Shape& shape) {
  const LayerCosts& first = shape.stages.front();
  return fmt::format("p = {}, m = {}, v = {}, c = {}, first stage {}, {}, {}", shape.p, shape.m,
                     shape.v, shape.c, first.forward, first.input_gradient, first.weight_gradient);
}

contract::Schedule schedule_of(const std::string& name, const Shape& shape,
                               const machine::Machine& machine) {
  const costs::Profile profile =
      costs::profile(machine, measured_chain(shape.stages, shape.m),
                     {.first_input_gradient = true, .micro_batches = shape.m});
  contract::Schedule schedule =
      scheduler::find_scheduler(name).plan(profile, machine, evenly(shape.m, shape.v)).schedule;
  check(schedule, profile);
  return schedule;
}

/// Of one minibatch.
StageUse use_of(const std::string& name, const Shape& shape) {
  const machine::Machine machine =
      test_machine(static_cast<std::size_t>(shape.p), 1e9, static_cast<double>(shape.c));
  return recurrence_use(machine, schedule_of(name, shape, machine), 1);
}

/// `count(s)` for each of p stages.
template <class Count>
Counts of_stages(std::int64_t p, Count count) {
  Counts counts;
  for (std::int64_t s = 0; s < p; ++s) counts.push_back(count(s));
  return counts;
}

TEST(ScheduleFormulas, GPipe) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    Shape shape = uniform(random.from_to(1, 12), random.from_to(1, 24), random.costs());
    const LayerCosts& costs = shape.stages.front();
    shape.c = random.from_to(0, std::min(costs.forward, backward(costs)));
    SCOPED_TRACE(to_string(shape));
    const StageUse use = use_of("gpipe", shape);
    EXPECT_EQ(use.makespan, (shape.m + shape.p - 1) * of_all(costs) + 2 * (shape.p - 1) * shape.c);
    EXPECT_EQ(use.until_input_gradient, Counts(shape.stages.size(), shape.m));
    EXPECT_EQ(use.until_weight_gradient, Counts(shape.stages.size(), shape.m));
  }
}

TEST(ScheduleFormulas, GPipeOfUnequalStages) {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    Shape shape{random.from_to(1, 12), random.from_to(1, 24), 1, {}, 0};
    std::int64_t sum = 0;
    std::int64_t longest_forward = 0;
    std::int64_t longest_backward = 0;
    for (std::int64_t s = 0; s < shape.p; ++s) {
      const LayerCosts& costs = shape.stages.emplace_back(random.costs());
      sum += of_all(costs);
      longest_forward = std::max(longest_forward, costs.forward);
      longest_backward = std::max(longest_backward, backward(costs));
    }
    EXPECT_EQ(use_of("gpipe", shape).makespan,
              sum + (shape.m - 1) * (longest_forward + longest_backward))
        << to_string(shape);
  }
}

TEST(ScheduleFormulas, OneForwardOneBackwardWithFlush) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    Shape shape = uniform(random.from_to(1, 12), random.from_to(1, 24), random.costs());
    const LayerCosts& costs = shape.stages.front();
    shape.c = random.from_to(0, std::min(costs.forward, backward(costs)));
    SCOPED_TRACE(to_string(shape));
    const StageUse use = use_of("1f1b", shape);
    const std::int64_t rounds = (shape.m - 1 + shape.p - 1) / shape.p;
    EXPECT_EQ(use.makespan, (shape.m + shape.p - 1) * of_all(costs) +
                                2 * shape.c * (shape.p - 1 + shape.m - 1 - rounds));
    const Counts in_flight =
        of_stages(shape.p, [&](std::int64_t s) { return std::min(shape.m, shape.p - s); });
    EXPECT_EQ(use.until_input_gradient, in_flight);
    EXPECT_EQ(use.until_weight_gradient, in_flight);
  }
}

TEST(ScheduleFormulas, Interleaved) {
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    const std::int64_t p = random.from_to(2, 8);
    const Shape shape = uniform(p, p * random.from_to(1, 5), random.costs(), random.from_to(1, 5));
    SCOPED_TRACE(to_string(shape));
    const StageUse use = use_of("interleaved-1f1b", shape);
    EXPECT_EQ(use.makespan, (shape.m * shape.v + p - 1) * of_all(shape.stages.front()));
    EXPECT_EQ(use.until_weight_gradient, of_stages(p, [&](std::int64_t s) {
                return std::min(shape.m * shape.v, 2 * (p - 1 - s) + (shape.v - 1) * p + 1);
              }));
  }
}

TEST(ScheduleFormulas, ZeroBubbleH1) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const std::int64_t p = random.from_to(1, 12);
    const Shape shape = uniform(p, p + random.from_to(0, 20), random.costs());
    const auto& [f, b, w, activation, weight] = shape.stages.front();
    SCOPED_TRACE(to_string(shape));
    const StageUse use = use_of("zb-h1", shape);
    EXPECT_EQ(use.makespan, shape.m * (f + b + w) + (p - 1) * std::max({f, b, f + b - w}));
    EXPECT_EQ(use.until_input_gradient, of_stages(p, [&](std::int64_t s) { return p - s; }));
    EXPECT_EQ(use.until_weight_gradient, Counts(shape.stages.size(), p));
  }
}

TEST(ScheduleFormulas, ZeroBubbleH2) {
  Random random(6);
  for (int i = 0; i < 300; ++i) {
    const std::int64_t p = random.from_to(1, 10);
    const Shape shape = uniform(p, 2 * p - 1 + random.from_to(0, 20), random.costs());
    const auto& [f, b, w, activation, weight] = shape.stages.front();
    SCOPED_TRACE(to_string(shape));
    const StageUse use = use_of("zb-h2", shape);
    EXPECT_EQ(use.longest_span, shape.m * (f + b + w) + (p - 1) * std::max({std::int64_t{0}, b - w,
                                                                            b - f, f + b - 2 * w}));
    EXPECT_EQ(use.until_input_gradient,
              of_stages(p, [&](std::int64_t s) { return 2 * (p - s) - 1; }));
    EXPECT_EQ(use.until_weight_gradient, Counts(shape.stages.size(), 2 * p - 1));
  }
}

/// What `wrong(mesh)` says, in a process that has loaded a mesh of six processors.
template <class Wrong>
std::string wrong_on_mesh(Wrong wrong) {
  const std::string platform = write_mesh_platform(6, false);
  return process::run_isolated([&] { return wrong(engine::load_machine(platform)); });
}

/// The whole program behind the command line.
metrics::Result result_of(const std::string& name, const Shape& shape, const machine::Machine& mesh,
                          std::int64_t iterations) {
  const machine::Machine machine =
      with_latencies(first_processors(mesh, static_cast<std::size_t>(shape.p)),
                     Counts(static_cast<std::size_t>(shape.p), shape.c));
  const network::Network network = measured_chain(shape.stages, shape.m);
  const scheduler::Scheduler& scheduler = scheduler::find_scheduler(name);
  const placement::SchedulerOptions options = evenly(shape.m, shape.v);
  const costs::Profile profile = costs::profile(
      machine, network,
      {.first_input_gradient = true, .micro_batches = scheduler.micro_batches(options)});
  return run::run({.machine = machine,
                   .network = network,
                   .profile = profile,
                   .scheduler = scheduler,
                   .scheduler_options = options,
                   .iterations = iterations,
                   .options = {}});
}

/// "NAME is IS, expected EXPECTED"; nothing if they are equal.
template <class T>
std::string difference(const std::string& name, const T& is, const T& expected) {
  return is == expected ? "" : fmt::format("{} is {}, expected {}\n", name, is, expected);
}

/// Of an exact steady state.
std::string period_difference(const metrics::Result& result, std::int64_t cycles) {
  return difference("exact", result.steady_state.exact, true) +
         difference("period", result.steady_state.period_cycles, static_cast<double>(cycles));
}

/// With the shape that it is of.
std::string of_shape(const Shape& shape, const std::string& wrong) {
  return wrong.empty() ? "" : fmt::format("{}:\n{}", to_string(shape), wrong);
}

/// Stages of different lengths.
Shape unequal(std::int64_t p, std::int64_t m, Random& random) {
  Shape shape{p, m, 1, {}, 0};
  for (std::int64_t s = 0; s < p; ++s) shape.stages.push_back(random.costs());
  return shape;
}

std::int64_t slowest(const Shape& shape) {
  return of_all(*std::ranges::max_element(shape.stages, {}, of_all));
}

/// An update in m micro-batches, and the weights of each minibatch lack the last one.
TEST(ScheduleFormulas, PipeDream2BW) {
  EXPECT_EQ(wrong_on_mesh([](const machine::Machine& mesh) {
              Random random(7);
              std::string wrong;
              for (int i = 0; i < 40; ++i) {
                const std::int64_t p = random.from_to(1, 6);
                const std::int64_t fewest = std::max<std::int64_t>(1, p - 1);
                const Shape shape = unequal(p, fewest + random.from_to(0, 4), random);
                const metrics::Result result = result_of("pipedream-2bw", shape, mesh, 30);
                std::string found = period_difference(result, shape.m * slowest(shape));
                for (const metrics::LayerResult& layer : result.layers) {
                  found += difference("staleness", layer.staleness, std::int64_t{1});
                  found += difference("versions", layer.weight_versions, std::int64_t{2});
                }
                wrong += of_shape(shape, found);
              }
              return wrong;
            }),
            "");
}

/// Whole minibatches, p - s of them and as many versions of the weights.
TEST(ScheduleFormulas, PipeDream) {
  EXPECT_EQ(wrong_on_mesh([](const machine::Machine& mesh) {
              Random random(8);
              std::string wrong;
              for (int i = 0; i < 20; ++i) {
                const Shape shape = uniform(random.from_to(1, 6), 1, random.costs());
                const metrics::Result result = result_of("pipedream", shape, mesh, 30);
                std::string found = period_difference(result, of_all(shape.stages.front()));
                for (std::size_t s = 0; s < result.processors.size(); ++s) {
                  const auto due = shape.p - static_cast<std::int64_t>(s);
                  const metrics::PeakMicroBatches& peak = result.processors[s].peak_micro_batches;
                  found += difference("until B", peak.until_input_gradient, due);
                  found += difference("until W", peak.until_weight_gradient, due);
                  found += difference("versions", result.layers[s].weight_versions, due);
                }
                wrong += of_shape(shape, found);
              }
              return wrong;
            }),
            "");
}

/// The program as a whole reports what these formulas say.
TEST(ScheduleFormulas, AreInTheResult) {
  EXPECT_EQ(wrong_on_mesh([](const machine::Machine& mesh) {
              Random random(9);
              std::string wrong;
              for (int i = 0; i < 10; ++i) {
                Shape shape = uniform(random.from_to(1, 6), random.from_to(1, 9), random.costs());
                const LayerCosts& costs = shape.stages.front();
                shape.c = random.from_to(0, std::min(costs.forward, backward(costs)));
                const metrics::Result result = result_of("gpipe", shape, mesh, 1);
                const std::int64_t makespan =
                    (shape.m + shape.p - 1) * of_all(costs) + 2 * (shape.p - 1) * shape.c;
                std::string found = difference("makespan", result.makespan_cycles, makespan);
                for (std::size_t s = 0; s < result.processors.size(); ++s) {
                  const metrics::PeakMicroBatches& peak = result.processors[s].peak_micro_batches;
                  found += difference("in flight", peak.until_weight_gradient, shape.m);
                  found += difference("staleness", result.layers[s].staleness, std::int64_t{0});
                }
                found += difference("micro-batches", result.micro_batches, shape.m);
                wrong += of_shape(shape, found);
              }
              return wrong;
            }),
            "");
}

}  // namespace
}  // namespace layerpipe::tests
