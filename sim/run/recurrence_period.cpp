#include "sim/run/recurrence_period.hpp"

#include "platforms/machine/transfer.hpp"
#include "sim/metrics/replay.hpp"

namespace layerpipe::run {

theory::TransferCycles transfer_cycles_alone(const machine::Machine& machine,
                                             const contract::Schedule& schedule,
                                             const events::Channels& channels) {
  return [&](contract::TensorId id) {
    return machine::transfer_cycles(machine, channels.channels[channels.of_tensor[id]].route,
                                    schedule.tensors[id].bytes);
  };
}

metrics::Period recurrence_period(const contract::Schedule& schedule, std::int64_t minibatches,
                                  const theory::TransferCycles& transfer_cycles) {
  metrics::SteadyStateDetector steady(schedule, minibatches);
  replay(theory::timetable(schedule, minibatches, transfer_cycles), steady);
  return steady.period();
}

}  // namespace layerpipe::run
