#include "sim/run/plan.hpp"

#include <fmt/format.h>

#include <string>

#include "scheduler/contract/check_schedule.hpp"
#include "sim/events/channel.hpp"
#include "sim/process/isolated_process.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::run {

scheduler::Plan plan(const scheduler::Scheduler& scheduler, const costs::Profile& profile,
                     const machine::Machine& machine, const placement::SchedulerOptions& options) {
  try {
    static_cast<void>(process::run_isolated([&] {
      static_cast<void>(
          events::used_channels(machine, scheduler.plan(profile, machine, options).schedule));
      return std::string();
    }));
  } catch (const process::ProcessDeath& death) {
    throw InputError(fmt::format(
        "platform {}: SimGrid crashes when asked for its routes (expected another topology): {}",
        machine.name, death.what()));
  }
  scheduler::Plan result = scheduler.plan(profile, machine, options);
  check(result.schedule, profile);
  return result;
}

}  // namespace layerpipe::run
