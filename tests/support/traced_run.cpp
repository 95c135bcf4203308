#include "tests/support/traced_run.hpp"

#include <algorithm>

#include "sim/engine/simulation.hpp"

namespace layerpipe::tests {

TracedRun::TracedRun(const contract::Schedule& schedule, const events::Channels& channels,
                     const std::optional<trace::TraceWindow>& window)
    : schedule_(schedule), stalls_(schedule), recorder_(schedule, channels, window) {
  stalls_.listen(recorder_);
}

void TracedRun::simulate(const machine::Machine& machine, std::int64_t minibatches) {
  engine::simulate(machine, schedule_, minibatches, *this);
  stalls_.finish(makespan_);
  metrics::Result result;
  result.options = nlohmann::ordered_json::object();
  result.makespan_cycles = makespan_;
  recorder_.finish(result);
}

void TracedRun::record(const events::Event& event) {
  if (event.kind == events::EventKind::operation_ended) makespan_ = event.date;
  stalls_.record(event);
  recorder_.record(event);
}

bool is_equal(metrics::TimeUse a, metrics::TimeUse b) {
  return a.busy == b.busy &&
         std::ranges::all_of(metrics::all_stall_causes, [&](metrics::StallCause cause) {
           return of_cause(a.stalls, cause) == of_cause(b.stalls, cause);
         });
}

std::size_t uses(const contract::Schedule& schedule, std::int64_t minibatches) {
  const auto sent = [&](auto self, contract::TensorId id) -> std::size_t {
    const contract::Tensor& tensor = schedule.tensors[id];
    if (tensor.tensor_class != contract::TensorClass::local) return 1;
    std::size_t count = 0;
    for (const contract::TensorId part : tensor.parts) count += self(self, part);
    return count;
  };
  std::size_t count = 0;
  for (const contract::Edge& edge : schedule.edges) {
    if (edge.tensor == contract::Edge::no_tensor) continue;
    const auto minibatches_sent = static_cast<std::size_t>(minibatches - edge.tokens);
    count += minibatches_sent * sent(sent, edge.tensor);
  }
  return count;
}

}  // namespace layerpipe::tests
