#include "sim/least_delays.hpp"

#include "sim/channel.hpp"
#include "sim/plan.hpp"
#include "sim/recurrence_period.hpp"

namespace layerpipe::sim {

scheduler::LeastStaleness least_delays(const scheduler::Scheduler& scheduler,
                                       const scheduler::Profile& profile,
                                       const platforms::Machine& machine,
                                       scheduler::SchedulerOptions options) {
  using scheduler::Schedule;
  options.delays = scheduler::DelayRule::twice_stages_after;
  const Schedule schedule = plan(scheduler, profile, machine, options).schedule;
  const Channels channels = used_channels(machine, schedule);
  const auto transfer_cycles = transfer_cycles_alone(machine, schedule, channels);
  return least_staleness(profile, allocation_of(schedule), machine.processors.size(),
                         transfer_cycles, [&](const Schedule& with_other_delays) {
                           return recurrence_period(with_other_delays, least_delays_minibatches,
                                                    transfer_cycles)
                               .cycles_per_minibatch;
                         });
}

}  // namespace layerpipe::sim
