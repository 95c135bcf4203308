#include "sim/cli/run_request.hpp"

#include "sim/cli/options_in_force.hpp"

namespace layerpipe::cli {

RunLength run_length(const LengthOptions& options) {
  const bool until_steady = options.until_steady.value_or(!options.iterations);
  const std::int64_t by_default =
      until_steady ? run::most_until_steady : run::iterations_by_default;
  return {options.iterations.value_or(by_default), until_steady, options.tolerance};
}

run::RunRequest run_request(const Inputs& inputs, const ScheduleChoice& choice,
                            const RunLength& length) {
  return {.machine = inputs.machine,
          .network = inputs.network,
          .profile = choice.profile(inputs),
          .scheduler = choice.scheduler,
          .scheduler_options = choice.options,
          .iterations = length.iterations,
          .until_steady = length.until_steady,
          .tolerance = length.tolerance,
          .options = to_json({.scheduler = &choice.scheduler,
                              .scheduler_options = choice.options,
                              .iterations = length.iterations,
                              .allocation = choice.allocation,
                              .schedule_file = choice.schedule_file,
                              .stages = choice.stages,
                              .auto_delays = choice.auto_delays,
                              .until_steady = length.until_steady,
                              .tolerance = length.tolerance},
                             inputs),
          .one_processor_cycles = total_cycles(inputs.profile)};
}

}  // namespace layerpipe::cli
