#include "sim/cli/run_request.hpp"

#include "sim/cli/options_in_force.hpp"

namespace layerpipe::sim::cli {

RunRequest run_request(const Inputs& inputs, const ScheduleChoice& choice,
                       const RunLength& length) {
  return {.machine = inputs.machine,
          .network = inputs.network,
          .profile = inputs.profile,
          .scheduler = choice.scheduler,
          .scheduler_options = choice.options,
          .iterations = length.iterations,
          .until_steady = length.until_steady,
          .options = to_json({.scheduler = &choice.scheduler,
                              .scheduler_options = choice.options,
                              .iterations = length.iterations,
                              .allocation = choice.allocation,
                              .stages = choice.stages,
                              .auto_delays = choice.auto_delays,
                              .until_steady = length.until_steady},
                             inputs)};
}

}  // namespace layerpipe::sim::cli
