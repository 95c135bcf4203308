#pragma once

#include <sstream>
#include <string>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "sim/trace/trace_writer.hpp"
#include "tests/support/sample_result.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/two_layer_schedule.hpp"

namespace layerpipe::tests {

/// Tells `trace` six slices of the two-layer schedule, at 1 GHz:
///
///   FP a of minibatch 0    processor 0, 0 to 10
///   its activation         p0 -> p1, 10 to 11
///   FP b of minibatch 0    processor 1, 11 to 23, after a stall (fill)
///   drain                  processor 0, 10 to 23; processor 2, 0 to 23
///   memory                 128 bytes of weights on processor 0
///   links                  64 bytes on that from p0 to p1, none on that back, 0 to 23
inline void tell_small_run(trace::TraceWriter& trace) {
  trace.memory_use({0, 0, 128, 0});
  trace.operation({0, 0, 0, 10});
  trace.transfer({0, 0, 10, 10, 11});
  trace.stall({1, metrics::StallCause::fill, 0, 11});
  trace.operation({3, 0, 11, 23});
  trace.link_use({1, 0, 23, 64});
  trace.link_use({3, 0, 23, 0});
  trace.stall({0, metrics::StallCause::drain, 10, 23});
  trace.stall({2, metrics::StallCause::drain, 0, 23});
  trace.finish(sample_result(), {0, 23});
}

/// What a `Writer` makes of it.
template <typename Writer>
std::string small_trace(const machine::Machine& machine = test_machine(3),
                        const contract::Schedule& schedule = two_layer_schedule()) {
  const events::Channels channels = events::used_channels(machine, schedule);
  std::ostringstream stream;
  Writer trace(stream, {machine, schedule, channels});
  tell_small_run(trace);
  return stream.str();
}

}  // namespace layerpipe::tests
