#include "sim/run/simulated_period.hpp"

#include <nlohmann/json.hpp>

#include "sim/engine/simulation.hpp"
#include "sim/metrics/steady_state.hpp"
#include "sim/process/isolated_process.hpp"

namespace layerpipe::run {

SimulatedPeriod simulated_period(const machine::Machine& machine,
                                 const contract::Schedule& schedule, std::int64_t minibatches) {
  const auto found = nlohmann::json::parse(process::run_isolated([&] {
    metrics::SteadyStateDetector steady(schedule, minibatches);
    engine::simulate(machine, schedule, minibatches, steady,
                     {.may_stop = [&steady] { return steady.exact_period().has_value(); }});
    const metrics::Period period = steady.period();
    return nlohmann::json{period.exact, period.cycles_per_minibatch}.dump();
  }));
  return {found[0], found[1]};
}

}  // namespace layerpipe::run
