#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/discipline/pipedream_schedule.hpp"
#include "scheduler/placement/layerpipe.hpp"
#include "scheduler/theory/critical_loop.hpp"
#include "scheduler/theory/retiming.hpp"
#include "scheduler/theory/token_graph.hpp"

namespace {

using namespace layerpipe;

/// A chain whose values are used by the layer after the next one, too.
costs::Profile random_layers(std::int64_t layers) {
  std::mt19937_64 random(1);
  const auto count = static_cast<std::size_t>(layers);
  costs::Profile profile;
  for (std::size_t l = 0; l < count; ++l) {
    costs::LayerProfile layer;
    layer.name = std::to_string(l);
    layer.forward_cycles = static_cast<std::int64_t>(1 + random() % 1'000'000);
    layer.has_input_gradient = l > 0;
    layer.input_gradient_cycles = l > 0 ? static_cast<std::int64_t>(random() % 1'000'000) : 0;
    layer.weight_gradient_cycles = static_cast<std::int64_t>(random() % 1'000'000);
    layer.has_loss = l + 1 == count;
    if (l + 1 < count) {
      layer.borrower = l + 1;
      costs::Value value{l, 1000, 1000, {{l + 1}}};
      if (l + 2 < count) value.uses.push_back({l + 2, false, true});
      profile.values.push_back(value);
    }
    profile.layers.push_back(layer);
  }
  return profile;
}

placement::Allocation placed(const costs::Profile& profile, std::int64_t processors) {
  return placement::layerpipe_partition(profile, static_cast<std::size_t>(processors), {})
      .allocation;
}

void find_loop(benchmark::State& state, const contract::Schedule& schedule) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(theory::critical_loop(
        theory::token_graph(schedule, [](contract::TensorId) { return 50'000; }),
        [](std::size_t node) { return std::to_string(node); }));
  }
}

void critical_loop_of_layerpipe(benchmark::State& state) {
  const costs::Profile profile = random_layers(state.range(0));
  find_loop(state,
            discipline::layerpipe_schedule("layerpipe", profile, placed(profile, state.range(1)),
                                           static_cast<std::size_t>(state.range(1))));
}
BENCHMARK(critical_loop_of_layerpipe)
    ->Args({100, 8})
    ->Args({1000, 8})
    ->Args({1000, 64})
    ->Unit(benchmark::kMillisecond);

void critical_loop_of_pipedream(benchmark::State& state) {
  const costs::Profile profile = random_layers(state.range(0));
  find_loop(state, discipline::pipedream_schedule(
                       "pipedream", profile, placement::processors(placed(profile, state.range(1))),
                       static_cast<std::size_t>(state.range(1))));
}
BENCHMARK(critical_loop_of_pipedream)->Args({1000, 64})->Unit(benchmark::kMillisecond);

void pipelining(benchmark::State& state) {
  const costs::Profile profile = random_layers(state.range(0));
  const placement::Allocation allocation = placed(profile, state.range(1));
  for (auto _ : state) {
    theory::DataflowGraph graph = theory::dataflow_graph(profile, allocation);
    benchmark::DoNotOptimize(theory::pipeline(graph));
  }
}
BENCHMARK(pipelining)->Args({1000, 64})->Unit(benchmark::kMillisecond);

}  // namespace
