#include "scheduler/theory/least_staleness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "scheduler/theory/critical_loop.hpp"
#include "scheduler/theory/token_graph.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::theory {

namespace {

/// Takes 1 off single entries, from the first one on and around, until one less on any of them is
/// not enough.
placement::Staleness lowered(placement::Staleness delays,
                             const std::function<bool(const placement::Staleness&)>& is_enough) {
  std::size_t tried_in_vain = 0;
  for (std::size_t l = 0; tried_in_vain < delays.size(); l = (l + 1) % delays.size()) {
    ++tried_in_vain;
    while (delays[l] > 0) {
      --delays[l];
      if (!is_enough(delays)) {
        ++delays[l];
        break;
      }
      tried_in_vain = 1;
    }
  }
  return delays;
}

/// Entry by entry the lower one.
placement::Staleness minimum(placement::Staleness a, const placement::Staleness& b) {
  for (std::size_t l = 0; l < a.size(); ++l) a[l] = std::min(a[l], b[l]);
  return a;
}

/// Of the first weight gradient, and so update, that the loop passes: there is one on every loop.
std::size_t updated_layer(const contract::Schedule& schedule, const CriticalLoop& loop) {
  for (const std::size_t node : loop.path) {
    if (node >= schedule.ops.size()) continue;
    const contract::OpPart& part = schedule.ops[node].parts.front();
    if (part.kind == costs::OpKind::weight_gradient) return part.layer;
  }
  throw InternalError(fmt::format("schedule '{}' has a loop without update", schedule.name));
}

class Search {
 public:
  Search(const ScheduleOf& schedule_of, const std::vector<costs::ProcessorId>& stage_of_layer,
         const TransferCycles& transfer_cycles, const PeriodOf& period)
      : schedule_of_(schedule_of),
        stage_of_layer_(stage_of_layer),
        transfer_cycles_(transfer_cycles),
        period_(period) {}

  [[nodiscard]] LeastStaleness run();

 private:
  [[nodiscard]] std::optional<CriticalLoop> loop(const contract::Schedule& schedule) const;
  [[nodiscard]] double ratio(const contract::Schedule& schedule) const;
  [[nodiscard]] placement::Staleness least_of_ratio(std::int64_t cycles_per_delay);
  [[nodiscard]] double period(const placement::Staleness& delays);
  [[nodiscard]] bool is_as_good(const placement::Staleness& delays, double period_cycles);

  const ScheduleOf& schedule_of_;
  const std::vector<costs::ProcessorId>& stage_of_layer_;
  const TransferCycles& transfer_cycles_;
  const PeriodOf& period_;
};

std::optional<CriticalLoop> Search::loop(const contract::Schedule& schedule) const {
  return critical_loop(token_graph(schedule, transfer_cycles_),
                       [](std::size_t node) { return fmt::format("node {}", node); });
}

double Search::ratio(const contract::Schedule& schedule) const {
  const std::optional<CriticalLoop> critical = loop(schedule);
  return critical ? critical->cycles_per_delay() : 0.0;
}

/// Raises what is on the critical loop until that is good enough. Only where a loop passes several
/// updates is there a choice, and something to lower in the end.
placement::Staleness Search::least_of_ratio(std::int64_t cycles_per_delay) {
  placement::Staleness delays(stage_of_layer_.size(), 0);
  for (;;) {
    const contract::Schedule current = schedule_of_(delays);
    const std::optional<CriticalLoop> critical = loop(current);
    const std::int64_t cycles = critical ? critical->cycles : 0;
    const std::int64_t needed = cycles / cycles_per_delay + (cycles % cycles_per_delay > 0 ? 1 : 0);
    if (!critical || needed <= critical->delays) break;
    delays[updated_layer(current, *critical)] += needed - critical->delays;
  }
  return lowered(std::move(delays), [&](const placement::Staleness& less) {
    return ratio(schedule_of_(less)) <= static_cast<double>(cycles_per_delay);
  });
}

double Search::period(const placement::Staleness& delays) {
  const contract::Schedule delayed = schedule_of_(delays);
  return std::max(ratio(delayed), period_(delayed));
}

bool Search::is_as_good(const placement::Staleness& delays, double period_cycles) {
  constexpr double rounding = 1.0 + 1e-12;
  const contract::Schedule delayed = schedule_of_(delays);
  return ratio(delayed) <= period_cycles * rounding && period_(delayed) <= period_cycles * rounding;
}

LeastStaleness Search::run() {
  const placement::Staleness most =
      staleness(placement::DelayRule::twice_stages_after, stage_of_layer_);
  LeastStaleness result;
  result.slowest_processor_cycles = slowest_processor_cycles(schedule_of_(most));
  if (result.slowest_processor_cycles == 0) {
    throw InfeasibleError("delays: minibatches take no time (expected a layer that takes a cycle)");
  }
  result.of_ratio = least_of_ratio(result.slowest_processor_cycles);
  result.twice_stages_after_period_cycles = period(most);
  const auto is_enough = [&](const placement::Staleness& delays) {
    return is_as_good(delays, result.twice_stages_after_period_cycles);
  };
  result.found = minimum(result.of_ratio, most);
  while (result.found != most && !is_enough(result.found)) {
    for (std::int64_t& delays : result.found) ++delays;
    result.found = minimum(std::move(result.found), most);
  }
  result.found = lowered(std::move(result.found), is_enough);
  result.period_cycles = period(result.found);
  return result;
}

}  // namespace

LeastStaleness least_staleness(const ScheduleOf& schedule_of,
                               const std::vector<costs::ProcessorId>& stage_of_layer,
                               const TransferCycles& transfer_cycles, const PeriodOf& period) {
  return Search(schedule_of, stage_of_layer, transfer_cycles, period).run();
}

}  // namespace layerpipe::theory
