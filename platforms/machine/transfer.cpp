#include "platforms/machine/transfer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "workloads/base/error.hpp"

namespace layerpipe::machine {

double latency_cycles(const Machine& machine, const Route& route) {
  const double cycles = route.latency_seconds * machine.clock_hertz;
  const double whole = std::round(cycles);
  return std::abs(cycles - whole) <= 1e-6 ? whole : cycles;
}

std::int64_t transfer_cycles(const Machine& machine, const Route& route, std::int64_t bytes) {
  const double bytes_per_cycle = bandwidth(machine, route) / machine.clock_hertz;
  const double cycles =
      latency_cycles(machine, route) + static_cast<double>(bytes) / bytes_per_cycle;
  if (!(cycles <= 1e14)) {
    throw InfeasibleError(fmt::format(
        "{}: a transfer of {} bytes takes {:.3g} cycles (at most 10^14 can be simulated exactly)",
        machine.name, bytes, cycles));
  }
  const double rounding_error = 1e-12 * cycles;
  return static_cast<std::int64_t>(std::ceil(cycles - rounding_error));
}

}  // namespace layerpipe::machine
