#include "tests/support/random_options.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "scheduler/costs/profile.hpp"
#include "tests/support/random_graph.hpp"

namespace layerpipe::tests {

namespace {

std::int64_t draw_micro_batches(const scheduler::Scheduler& scheduler, std::int64_t processors,
                                std::mt19937_64& random) {
  const auto some = static_cast<std::int64_t>(1 + random() % 4);
  if (scheduler.name == "interleaved-1f1b") return some * processors;
  if (scheduler.name == "zb-h2") return some + 2 * (processors - 1);
  if (scheduler.name == "pipedream-2bw") return some + std::max<std::int64_t>(0, processors - 2);
  return some + static_cast<std::int64_t>(random() % 3);
}

}  // namespace

DrawnOptions draw_options(const scheduler::Scheduler& scheduler, std::size_t layers,
                          std::size_t most_processors, std::mt19937_64& random) {
  constexpr std::array splits{costs::Split::ideal, costs::Split::channels, costs::Split::batch};
  DrawnOptions draw;
  draw.processors = 1 + random() % most_processors;
  draw.options.split = splits.at(random() % splits.size());
  draw.options.placement =
      placement::all_placement_rules.at(random() % placement::all_placement_rules.size());
  if (scheduler.reads(scheduler::SchedulerOption::chunks)) {
    const std::size_t chunks = std::min<std::size_t>(layers, 1 + random() % 3);
    draw.options.chunks = static_cast<std::int64_t>(chunks);
    draw.options.placement = placement::PlacementRule::even;
    draw.processors = std::min(draw.processors, layers / chunks);
  }
  draw.options.micro_batches =
      draw_micro_batches(scheduler, static_cast<std::int64_t>(draw.processors), random);
  return draw;
}

contract::Schedule schedule_of_random_graph(const machine::Machine& machine, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::span<const scheduler::Scheduler> all = scheduler::schedulers();
  const scheduler::Scheduler& scheduler = all[seed % all.size()];
  const std::size_t layers = 1 + random() % 12;
  const DrawnOptions draw = draw_options(scheduler, layers, machine.processors.size(), random);
  network::Network network = random_graph(layers, seed);
  const std::int64_t micro_batches = scheduler.micro_batches(draw.options);
  network.batch *= micro_batches;
  const costs::Profile profile = costs::profile(machine, network, {.micro_batches = micro_batches});
  return scheduler.plan(profile, first_processors(machine, draw.processors), draw.options).schedule;
}

}  // namespace layerpipe::tests
