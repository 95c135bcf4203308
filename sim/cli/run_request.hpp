#pragma once

#include <cstdint>

#include "sim/cli/inputs.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/schedule_choice.hpp"
#include "sim/run/run.hpp"

namespace layerpipe::cli {

/// How long a command simulates.
struct RunLength {
  std::int64_t iterations = 0;  ///< at most, with `until_steady`
  bool until_steady = false;
  double tolerance = run::default_tolerance;
};

/// What the options ask for: until steady unless iterations alone are given.
[[nodiscard]] RunLength run_length(const LengthOptions& options);

/// A run of the choice on the inputs, with all options in force for its result, without traces and
/// progress. Refers to both.
[[nodiscard]] run::RunRequest run_request(const Inputs& inputs, const ScheduleChoice& choice,
                                          const RunLength& length);

}  // namespace layerpipe::cli
