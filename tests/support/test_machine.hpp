#pragma once

#include <cstddef>

#include "platforms/machine/machine.hpp"

namespace layerpipe::tests {

/// Processors p0, p1, ... at 1 GHz, any two of them joined by a link of their own in each
/// direction.
machine::Machine test_machine(std::size_t processors, double bytes_per_cycle = 64.0,
                              double latency_cycles = 0.0);

}  // namespace layerpipe::tests
