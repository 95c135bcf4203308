#include "sim/run/least_delays.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "scheduler/contract/allocation_of.hpp"
#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "sim/events/channel.hpp"
#include "sim/run/plan.hpp"
#include "sim/run/recurrence_period.hpp"
#include "sim/run/simulated_period.hpp"

namespace layerpipe::run {

namespace {

using contract::Schedule;
using placement::Staleness;

constexpr std::int64_t simulated_minibatches = 400;

metrics::Period settled_period(const Schedule& schedule,
                               const theory::TransferCycles& transfer_cycles) {
  const metrics::Period early = recurrence_period(schedule, 32, transfer_cycles);
  return early.exact ? early : recurrence_period(schedule, 128, transfer_cycles);
}

/// What a period counts as in comparisons: a mean of a short run below what the slowest processor
/// takes will not stay there, and is no reason to prefer it.
double lasting_cycles(double cycles_per_minibatch, std::int64_t slowest_processor_cycles) {
  return std::max(cycles_per_minibatch, static_cast<double>(slowest_processor_cycles));
}

bool is_as_good(const SimulatedPeriod& period, const SimulatedPeriod& best,
                std::int64_t slowest_processor_cycles) {
  const double tolerance = period.exact && best.exact ? 1e-12 : 1e-4;
  return lasting_cycles(period.cycles_per_minibatch, slowest_processor_cycles) <=
         lasting_cycles(best.cycles_per_minibatch, slowest_processor_cycles) * (1.0 + tolerance);
}

/// Entry by entry 1 more, but no more than in `most`.
Staleness raised(Staleness delays, const Staleness& most) {
  for (std::size_t l = 0; l < delays.size(); ++l) delays[l] = std::min(delays[l] + 1, most[l]);
  return delays;
}

/// Raises what the search found until simulations agree.
class Judge {
 public:
  Judge(const machine::Machine& machine, const Schedule& twice_stages_after,
        std::function<Schedule(const Staleness&)> delayed)
      : machine_(machine),
        most_(staleness(placement::DelayRule::twice_stages_after,
                        processors(allocation_of(twice_stages_after)))),
        best_(simulated_period(machine, twice_stages_after, simulated_minibatches)),
        delayed_(std::move(delayed)) {}

  void judge(LeastDelays& result) const {
    SimulatedDelays simulated;
    simulated.twice_stages_after_period_cycles = best_.cycles_per_minibatch;
    const std::int64_t slowest = result.staleness.slowest_processor_cycles;
    SimulatedPeriod period = period_with(result.delays);
    while (result.delays != most_ && !is_as_good(period, best_, slowest)) {
      result.delays = raised(std::move(result.delays), most_);
      ++simulated.raised;
      period = period_with(result.delays);
    }
    simulated.period_cycles = period.cycles_per_minibatch;
    result.simulated = simulated;
    result.is_exact = period.exact && best_.exact;
  }

 private:
  [[nodiscard]] SimulatedPeriod period_with(const Staleness& delays) const {
    return simulated_period(machine_, delayed_(delays), simulated_minibatches);
  }

  const machine::Machine& machine_;
  Staleness most_;
  SimulatedPeriod best_;
  std::function<Schedule(const Staleness&)> delayed_;
};

}  // namespace

bool LeastDelays::reaches_bound() const {
  return simulated ? simulated->twice_stages_after_period_cycles <=
                         static_cast<double>(staleness.slowest_processor_cycles)
                   : staleness.reaches_bound();
}

LeastDelays least_delays(const scheduler::Scheduler& scheduler, const costs::Profile& profile,
                         const machine::Machine& machine, placement::SchedulerOptions options) {
  const auto planned = [&](const placement::Delays& delays) {
    options.delays = delays;
    return plan(scheduler, profile, machine, options).schedule;
  };
  const Schedule schedule = planned(placement::DelayRule::twice_stages_after);
  const events::Channels channels = events::used_channels(machine, schedule);
  const auto transfer_cycles = transfer_cycles_alone(machine, schedule, channels);
  const auto period = [&](const Schedule& delayed) {
    return lasting_cycles(settled_period(delayed, transfer_cycles).cycles_per_minibatch,
                          slowest_processor_cycles(delayed));
  };
  LeastDelays result;
  placement::Allocation allocation = allocation_of(schedule);
  const auto with_delays = [&](const placement::Staleness& delays) {
    allocation.delays = delays;
    return discipline::layerpipe_schedule(schedule.name, profile, allocation,
                                          machine.processors.size());
  };
  result.staleness =
      theory::least_staleness(with_delays, processors(allocation), transfer_cycles, period);
  result.delays = result.staleness.found;
  result.has_shared_links = has_shared_links(channels);
  const Schedule found = planned(result.delays);
  result.is_exact = settled_period(schedule, transfer_cycles).exact &&
                    settled_period(found, transfer_cycles_alone(machine, found, channels)).exact;
  if (result.has_shared_links || !result.is_exact) Judge(machine, schedule, planned).judge(result);
  return result;
}

}  // namespace layerpipe::run
