#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/cli/inputs.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/schedule_choice.hpp"

namespace layerpipe::cli {

/// What pictures of runs of `iterations` show: what the options ask for. If they do not, and a
/// picture has no room for a whole run, up to four minibatches from the middle of the run or from
/// minibatch 100 on, where the pipeline is full; standard error is told which. Throws
/// InfeasibleError, before the first run, for a picture that is too large for certain.
[[nodiscard]] std::optional<trace::TraceWindow> picture_window(
    const TraceOptions& options, const Inputs& inputs, const std::vector<ScheduleChoice>& choices,
    std::int64_t iterations);

}  // namespace layerpipe::cli
