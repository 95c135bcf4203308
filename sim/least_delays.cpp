#include "sim/least_delays.hpp"

#include "sim/channel.hpp"
#include "sim/plan.hpp"
#include "sim/recurrence_period.hpp"

namespace layerpipe::sim {

namespace {

Period settled_period(const scheduler::Schedule& schedule,
                      const scheduler::TransferCycles& transfer_cycles) {
  const Period early = recurrence_period(schedule, 32, transfer_cycles);
  return early.exact ? early : recurrence_period(schedule, 128, transfer_cycles);
}

}  // namespace

LeastDelays least_delays(const scheduler::Scheduler& scheduler, const scheduler::Profile& profile,
                         const platforms::Machine& machine, scheduler::SchedulerOptions options) {
  using scheduler::Schedule;
  options.delays = scheduler::DelayRule::twice_stages_after;
  const Schedule schedule = plan(scheduler, profile, machine, options).schedule;
  const Channels channels = used_channels(machine, schedule);
  const auto transfer_cycles = transfer_cycles_alone(machine, schedule, channels);
  const auto period = [&](const Schedule& delayed) {
    return settled_period(delayed, transfer_cycles).cycles_per_minibatch;
  };
  LeastDelays result;
  result.staleness = least_staleness(profile, allocation_of(schedule), machine.processors.size(),
                                     transfer_cycles, period);
  result.has_shared_links = has_shared_links(channels);
  options.delays = result.staleness.found;
  const Schedule found = plan(scheduler, profile, machine, options).schedule;
  result.is_exact = settled_period(schedule, transfer_cycles).exact &&
                    settled_period(found, transfer_cycles_alone(machine, found, channels)).exact;
  return result;
}

}  // namespace layerpipe::sim
