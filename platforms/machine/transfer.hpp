#pragma once

#include <cstdint>

#include "platforms/machine/machine.hpp"

namespace layerpipe::machine {

/// Latency of a route in cycles of the machine's clock; a value within 10^-6 of a whole cycle is
/// that cycle (100 ns at 1 GHz is not exactly 100 in binary).
[[nodiscard]] double latency_cycles(const Machine& machine, const Route& route);

/// Cycles that `bytes` take over a route that nobody else uses: latency + bytes / bandwidth of the
/// narrowest link, rounded up to a whole cycle (SimGrid's CM02 model of one flow). Throws
/// InfeasibleError above 10^14 cycles.
[[nodiscard]] std::int64_t transfer_cycles(const Machine& machine, const Route& route,
                                           std::int64_t bytes);

}  // namespace layerpipe::machine
