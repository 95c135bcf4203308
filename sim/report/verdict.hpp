#pragma once

#include <string>

#include "sim/metrics/result.hpp"

namespace layerpipe::report {

/// What was simulated, which processors the schedule left idle and why, and which delays were
/// found: lines of text.
[[nodiscard]] std::string header(const metrics::Result& result);

/// How fast it trains, against the bound, what binds it, and how much of the time is stalled: lines
/// of text.
[[nodiscard]] std::string verdict(const metrics::Result& result);

/// What binds the period, e.g. "processor p0, 100.0 % busy"; where nothing is always busy, the main
/// cause of stalls and what is busiest.
[[nodiscard]] std::string bound_by(const metrics::Result& result);

/// Why there is no latency, and what to do; empty if there is one.
[[nodiscard]] std::string missing_latency_note(const metrics::Result& result);

/// That the period of `result` is a mean, and what to do; empty if it is exact.
[[nodiscard]] std::string inexact_note(const metrics::Result& result);

}  // namespace layerpipe::report
