#include "tests/theory/stage_use.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platforms/machine/transfer.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/metrics/in_flight.hpp"
#include "sim/metrics/replay.hpp"
#include "sim/process/isolated_process.hpp"

namespace layerpipe::tests {

namespace {

using nlohmann::json;

class UseSink final : public events::EventSink {
 public:
  explicit UseSink(const contract::Schedule& schedule)
      : schedule_(schedule), in_flight_(schedule), spans_(schedule.orders.size()) {}

  void record(const events::Event& event) override {
    in_flight_.record(event);
    const bool is_start = event.kind == events::EventKind::operation_started;
    const bool is_end = event.kind == events::EventKind::operation_ended;
    if (!is_start && !is_end) return;
    Span& span = spans_[schedule_.ops[event.id].processor];
    if (is_start && span.first < 0) span.first = event.date;
    if (is_end) span.last = event.date;
  }

  [[nodiscard]] StageUse use() const {
    StageUse use;
    for (std::size_t p = 0; p < spans_.size(); ++p) {
      use.makespan = std::max(use.makespan, spans_[p].last);
      use.longest_span = std::max(use.longest_span, spans_[p].last - spans_[p].first);
      use.until_input_gradient.push_back(in_flight_.peak(p).until_input_gradient);
      use.until_weight_gradient.push_back(in_flight_.peak(p).until_weight_gradient);
    }
    return use;
  }

 private:
  struct Span {
    std::int64_t first = -1;
    std::int64_t last = -1;
  };

  const contract::Schedule& schedule_;
  metrics::InFlight in_flight_;
  std::vector<Span> spans_;
};

}  // namespace

std::string to_string(const StageUse& use) {
  return fmt::format("makespan {}, longest span {}, in flight {} and {}", use.makespan,
                     use.longest_span, fmt::join(use.until_input_gradient, "-"),
                     fmt::join(use.until_weight_gradient, "-"));
}

StageUse simulated_use(const machine::Machine& machine, const contract::Schedule& schedule,
                       std::int64_t minibatches) {
  const json answer = json::parse(process::run_isolated([&] {
    UseSink sink(schedule);
    engine::simulate(machine, schedule, minibatches, sink);
    const StageUse use = sink.use();
    return json{use.makespan, use.longest_span, use.until_input_gradient, use.until_weight_gradient}
        .dump();
  }));
  return {answer.at(0).get<std::int64_t>(), answer.at(1).get<std::int64_t>(),
          answer.at(2).get<std::vector<std::int64_t>>(),
          answer.at(3).get<std::vector<std::int64_t>>()};
}

StageUse recurrence_use(const machine::Machine& machine, const contract::Schedule& schedule,
                        std::int64_t minibatches) {
  const theory::Timetable table =
      theory::timetable(schedule, minibatches, [&](contract::TensorId id) {
        const contract::Tensor& tensor = schedule.tensors[id];
        return transfer_cycles(machine, machine.route(tensor.source, tensor.destination),
                               tensor.bytes);
      });
  UseSink sink(schedule);
  metrics::replay(table, sink);
  return sink.use();
}

}  // namespace layerpipe::tests
