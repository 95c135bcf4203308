#include "scheduler/placement/given_allocation.hpp"

#include <fmt/format.h>

#include <numeric>
#include <string>

#include "workloads/base/error.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::placement {

std::string_view to_string(OrderOf order) {
  return order == OrderOf::pipedream ? "pipedream" : "layerpipe";
}

Allocation allocation_of_stages(const std::vector<std::int64_t>& layers_of_stages,
                                std::size_t layers, std::size_t processors) {
  const std::int64_t sum =
      std::accumulate(layers_of_stages.begin(), layers_of_stages.end(), std::int64_t{0});
  const std::string given = fmt::format("stages {}", fmt::join(layers_of_stages, ","));
  if (sum != static_cast<std::int64_t>(layers)) {
    throw InfeasibleError(
        fmt::format("{} are {} (expected {} with weights in all)", given,
                    base::format_count(sum, "layer", "layers"),
                    base::format_count(static_cast<std::int64_t>(layers), "layer", "layers")));
  }
  if (layers_of_stages.size() > processors) {
    throw InfeasibleError(fmt::format("{} are {} (expected at most {}, one for each processor)",
                                      given, layers_of_stages.size(), processors));
  }
  std::vector<costs::ProcessorId> processor_of_layer;
  for (std::size_t stage = 0; stage < layers_of_stages.size(); ++stage) {
    processor_of_layer.insert(processor_of_layer.end(),
                              static_cast<std::size_t>(layers_of_stages[stage]), stage);
  }
  return whole_layers(processor_of_layer);
}

}  // namespace layerpipe::placement
