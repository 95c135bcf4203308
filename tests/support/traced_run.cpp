#include "tests/support/traced_run.hpp"

#include <algorithm>

#include "sim/engine/simulation.hpp"

namespace layerpipe::tests {

TracedRun::TracedRun(const scheduler::Schedule& schedule, const sim::Channels& channels,
                     const std::optional<sim::TraceWindow>& window)
    : schedule_(schedule), stalls_(schedule), recorder_(schedule, channels, window) {
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

bool is_equal(sim::TimeUse a, sim::TimeUse b) {
  return a.busy == b.busy && std::ranges::all_of(sim::all_stall_causes, [&](sim::StallCause cause) {
           return of_cause(a.stalls, cause) == of_cause(b.stalls, cause);
         });
}

std::size_t uses(const scheduler::Schedule& schedule, std::int64_t minibatches) {
  const auto sent = [&](auto self, scheduler::TensorId id) -> std::size_t {
    const scheduler::Tensor& tensor = schedule.tensors[id];
    if (tensor.tensor_class != scheduler::TensorClass::local) return 1;
    std::size_t count = 0;
    for (const scheduler::TensorId part : tensor.parts) count += self(self, part);
    return count;
  };
  std::size_t count = 0;
  for (const scheduler::Edge& edge : schedule.edges) {
    if (edge.tensor == scheduler::Edge::no_tensor) continue;
    const auto minibatches_sent = static_cast<std::size_t>(minibatches - edge.tokens);
    count += minibatches_sent * sent(sent, edge.tensor);
  }
  return count;
}

}  // namespace layerpipe::tests
