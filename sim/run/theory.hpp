#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/theory/critical_loop.hpp"
#include "scheduler/theory/memory_bounds.hpp"
#include "scheduler/theory/retiming.hpp"
#include "sim/metrics/steady_state.hpp"

namespace layerpipe::run {

/// Of the channel with most to send: cycles of its transfers for one minibatch, each alone.
struct BusiestChannel {
  costs::ProcessorId source = 0;
  costs::ProcessorId destination = 0;
  std::int64_t cycles = 0;
};

/// What is known of a schedule on a machine without its being simulated.
struct Theory {
  theory::DataflowGraph graph;  ///< of the network, pipelined for the schedule's stages
  std::vector<theory::PipeliningStep> steps;
  std::string retiming_obstacle;              ///< why the steps end early; else empty
  std::vector<contract::LayerDelays> layers;  ///< delays of the schedule
  std::vector<theory::LayerMemory> memory;    ///< what these delays may make processors keep
  std::optional<theory::CriticalLoop> critical_loop;
  std::vector<std::string> path;  ///< of the critical loop: operations and transfers by name
  std::int64_t slowest_processor_cycles = 0;
  std::optional<BusiestChannel> busiest_channel;  ///< none if nothing is sent
  bool has_shared_links = false;                  ///< of channels that the schedule uses
  metrics::Period recurrence;
};

/// The recurrence is evaluated for `minibatches` minibatches; its period is found as that of a run.
/// Channels share no link there. Precondition: `plan` made the schedule, of `profile`, for
/// `machine`.
[[nodiscard]] Theory theory(const machine::Machine& machine, const costs::Profile& profile,
                            const contract::Schedule& schedule, std::int64_t minibatches);

}  // namespace layerpipe::run
