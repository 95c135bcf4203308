#include "sim/trace/trace_writer.hpp"

namespace layerpipe::trace {

double busy_fraction(const LinkUse& use, const machine::Machine& machine) {
  const double seconds = static_cast<double>(use.end - use.start) / machine.clock_hertz;
  return static_cast<double>(use.bytes) / (machine.links[use.link].bytes_per_second * seconds);
}

}  // namespace layerpipe::trace
