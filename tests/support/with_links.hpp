#pragma once

#include <vector>

#include "platforms/machine/machine.hpp"

namespace layerpipe::tests {

/// The loaded `machine` with another clock and other links of the same names: bandwidths and
/// latencies are then these, and its routes lead over the same links. Simulations ask the machine
/// for them, so that one loaded platform serves for many.
machine::Machine with_links(machine::Machine machine, double clock_hertz,
                            const std::vector<machine::Link>& links);

}  // namespace layerpipe::tests
