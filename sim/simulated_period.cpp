#include "sim/simulated_period.hpp"

#include <nlohmann/json.hpp>

#include "sim/engine/isolated_process.hpp"
#include "sim/engine/simulation.hpp"

namespace layerpipe::sim {

Period simulated_period(const platforms::Machine& machine, const scheduler::Schedule& schedule,
                        std::int64_t minibatches) {
  const auto found = nlohmann::json::parse(run_isolated([&] {
    SteadyStateDetector steady(schedule, minibatches);
    simulate(machine, schedule, minibatches, steady,
             {.may_stop = [&steady] { return steady.exact_period().has_value(); }});
    const Period period = steady.period();
    return nlohmann::json{period.exact, period.cycles_per_minibatch, period.minibatches,
                          period.first_minibatch}
        .dump();
  }));
  return at_least({found[0], found[1], found[2], found[3]}, slowest_processor_cycles(schedule));
}

}  // namespace layerpipe::sim
