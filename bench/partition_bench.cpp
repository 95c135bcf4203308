#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "scheduler/placement/layerpipe.hpp"
#include "scheduler/placement/layerpipe_optimal.hpp"
#include "scheduler/placement/pipedream.hpp"

namespace {

using namespace layerpipe;

costs::Profile random_chain(std::int64_t layers) {
  std::mt19937_64 random(1);
  costs::Profile profile;
  for (std::int64_t l = 0; l < layers; ++l) {
    costs::LayerProfile layer;
    layer.name = std::to_string(l);
    layer.forward_cycles = static_cast<std::int64_t>(1 + random() % 1'000'000);
    layer.input_gradient_cycles = static_cast<std::int64_t>(random() % 1'000'000);
    layer.weight_gradient_cycles = static_cast<std::int64_t>(random() % 1'000'000);
    if (l + 1 < layers) layer.borrower = profile.layers.size() + 1;
    profile.layers.push_back(layer);
  }
  return profile;
}

layerpipe::machine::Machine processors(std::int64_t count) {
  layerpipe::machine::Machine machine;
  machine.processors.resize(static_cast<std::size_t>(count));
  machine.links.push_back({"link", 64e9, true});
  machine.route = [](std::size_t, std::size_t) { return layerpipe::machine::Route{{0}, 0.0}; };
  return machine;
}

void pipedream(benchmark::State& state) {
  const costs::Profile profile = random_chain(state.range(0));
  const auto machine = processors(state.range(1));
  for (auto _ : state) {
    benchmark::DoNotOptimize(placement::pipedream_partition(
        profile, machine, placement::PartitionObjective::communication));
  }
}
BENCHMARK(pipedream)->Args({16, 8})->Args({500, 64})->Unit(benchmark::kMillisecond);

void layerpipe_algorithm_1(benchmark::State& state) {
  const costs::Profile profile = random_chain(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        placement::layerpipe_partition(profile, static_cast<std::size_t>(state.range(1)), {}));
  }
}
BENCHMARK(layerpipe_algorithm_1)->Args({16, 8})->Args({500, 64})->Unit(benchmark::kMillisecond);

void layerpipe_optimal(benchmark::State& state) {
  const costs::Profile profile = random_chain(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(placement::layerpipe_optimal_partition(
        profile, static_cast<std::size_t>(state.range(1)), {}));
  }
}
BENCHMARK(layerpipe_optimal)->Args({16, 8})->Args({500, 64})->Unit(benchmark::kMillisecond);

}  // namespace
