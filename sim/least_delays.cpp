#include "sim/least_delays.hpp"

#include "sim/channel.hpp"
#include "sim/plan.hpp"
#include "sim/recurrence_period.hpp"

namespace layerpipe::sim {

namespace {

double settled_period_cycles(const scheduler::Schedule& schedule,
                             const scheduler::TransferCycles& transfer_cycles) {
  const Period early = recurrence_period(schedule, 32, transfer_cycles);
  if (early.exact) return early.cycles_per_minibatch;
  return recurrence_period(schedule, 128, transfer_cycles).cycles_per_minibatch;
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
    return settled_period_cycles(delayed, transfer_cycles);
  };
  return {least_staleness(profile, allocation_of(schedule), machine.processors.size(),
                          transfer_cycles, period),
          has_shared_links(channels)};
}

}  // namespace layerpipe::sim
