#pragma once

#include <string>

#include "sim/metrics/result.hpp"

namespace layerpipe::sim {

/// What was simulated, which processors the schedule left idle and why, and which delays were
/// found: lines of text.
[[nodiscard]] std::string header(const Result& result);

/// How fast it trains, against the bound, what binds it, and how much of the time is stalled: lines
/// of text.
[[nodiscard]] std::string verdict(const Result& result);

/// That the period of `result` is a mean, and what to do; empty if it is exact.
[[nodiscard]] std::string inexact_note(const Result& result);

}  // namespace layerpipe::sim
