#pragma once

#include "sim/metrics/result.hpp"

namespace layerpipe::tests {

/// Two processors that work and one that is idle; numbers chosen by hand, and consistent: busy and
/// stalls sum to a makespan of 1000 cycles.
metrics::Result sample_result();

}  // namespace layerpipe::tests
