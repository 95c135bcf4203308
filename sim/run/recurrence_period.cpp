#include "sim/run/recurrence_period.hpp"

#include "platforms/machine/transfer.hpp"
#include "sim/metrics/replay.hpp"

namespace layerpipe::sim {

scheduler::TransferCycles transfer_cycles_alone(const platforms::Machine& machine,
                                                const scheduler::Schedule& schedule,
                                                const Channels& channels) {
  return [&](scheduler::TensorId id) {
    return platforms::transfer_cycles(machine, channels.channels[channels.of_tensor[id]].route,
                                      schedule.tensors[id].bytes);
  };
}

Period recurrence_period(const scheduler::Schedule& schedule, std::int64_t minibatches,
                         const scheduler::TransferCycles& transfer_cycles) {
  SteadyStateDetector steady(schedule, minibatches);
  replay(timetable(schedule, minibatches, transfer_cycles), steady);
  return steady.period();
}

}  // namespace layerpipe::sim
