#pragma once

#include <string>

#include "sim/metrics/result.hpp"
#include "sim/run/theory.hpp"

namespace layerpipe::report {

/// Cycles per delay; 0 if no loop takes time.
[[nodiscard]] double critical_loop_cycles(const run::Theory& theory);

/// The period by bounds, recurrence and simulation side by side, and lines that say which bound or
/// which processor or channel binds, and where the answers differ why. Both are of one schedule.
[[nodiscard]] std::string period_answers(const run::Theory& theory,
                                         const metrics::Result& simulated);

}  // namespace layerpipe::report
