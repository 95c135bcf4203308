#include "tests/support/traced_run.hpp"

#include "sim/engine/simulation.hpp"

namespace layerpipe::tests {

TracedRun::TracedRun(const scheduler::Schedule& schedule,
                     const std::optional<sim::TraceWindow>& window)
    : schedule_(schedule), stalls_(schedule), recorder_(schedule, window) {
  stalls_.listen(recorder_);
}

void TracedRun::simulate(const platforms::Machine& machine, std::int64_t minibatches) {
  sim::simulate(machine, schedule_, minibatches, *this);
  stalls_.finish(makespan_);
  sim::Result result;
  result.options = nlohmann::ordered_json::object();
  result.makespan_cycles = makespan_;
  recorder_.finish(result);
}

void TracedRun::record(const sim::Event& event) {
  if (event.kind == sim::EventKind::operation_ended) makespan_ = event.date;
  stalls_.record(event);
  recorder_.record(event);
}

}  // namespace layerpipe::tests
