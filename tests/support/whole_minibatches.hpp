#pragma once

#include <vector>

#include "scheduler/scheduler.hpp"

namespace layerpipe::tests {

/// Those whose minibatches go through as a whole: they plan for any network and machine.
inline std::vector<scheduler::Scheduler> schedulers_of_whole_minibatches() {
  std::vector<scheduler::Scheduler> result;
  for (const scheduler::Scheduler& scheduler : scheduler::schedulers()) {
    if (!scheduler.reads(scheduler::SchedulerOption::micro_batches)) result.push_back(scheduler);
  }
  return result;
}

}  // namespace layerpipe::tests
