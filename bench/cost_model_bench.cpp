#include <benchmark/benchmark.h>

#include "platforms/array/systolic_array.hpp"
#include "workloads/read/read_network.hpp"

namespace {

/// All operations of VGG16 on one array size: layers per second.
void cost_of_vgg16(benchmark::State& state) {
  const auto network = layerpipe::read::read_network(LAYERPIPE_SOURCE_DIR "/workloads/vgg16.yaml");
  layerpipe::array::SystolicArray array;
  array.rows = array.cols = state.range(0);
  for (auto _ : state) {
    for (const auto& layer : network.layers) {
      benchmark::DoNotOptimize(layerpipe::array::training_cycles(array, 1e9, layer, network.batch));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(network.layers.size()));
}
BENCHMARK(cost_of_vgg16)->Arg(32)->Arg(256);

/// Reading and checking a workload file.
void read_vgg16(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        layerpipe::read::read_network(LAYERPIPE_SOURCE_DIR "/workloads/vgg16.yaml"));
  }
}
BENCHMARK(read_vgg16);

}  // namespace
