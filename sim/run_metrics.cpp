#include "sim/run_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/communication_bound.hpp"
#include "sim/engine/load_machine.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::sim {

namespace {

using scheduler::ProcessorId;
using scheduler::Schedule;

/// The layers that each processor holds, in order of execution.
std::vector<std::vector<std::string>> layers_of_processors(const Schedule& schedule) {
  std::vector<std::vector<std::string>> layers(schedule.orders.size());
  for (const scheduler::Op& op : schedule.ops) {
    for (const scheduler::OpPart& part : op.parts) {
      if (part.kind != scheduler::OpKind::forward) continue;
      layers[op.processor].push_back(schedule.layer_names[part.layer]);
    }
  }
  return layers;
}

/// Share of the steady state's time. Cycles per minibatch are means over fill and drain as well,
/// and may exceed the period of what is always busy. Precondition: the period is not 0.
double fraction_of_period(double cycles, const SteadyState& steady_state) {
  return std::min(1.0, cycles / steady_state.period_cycles);
}

std::string outcome(const Period& period, double tolerance) {
  if (period.exact) return "exact";
  const bool is_within = period.relative_error_bound && *period.relative_error_bound <= tolerance;
  return is_within ? "within_tolerance" : "limit";
}

SteadyState steady_state(const RunRequest& request, const RunMetrics& metrics) {
  const Period period = metrics.steady.period();
  SteadyState result;
  result.exact = period.exact;
  result.period_cycles = period.cycles_per_minibatch;
  if (result.period_cycles == 0.0) {
    throw InfeasibleError(fmt::format(
        "{}: minibatches take no time at all on {} (expected a layer that takes a cycle or more)",
        request.network.name, request.machine.name));
  }
  result.period_seconds = result.period_cycles / request.machine.clock_hertz;
  result.minibatches_per_period = period.minibatches;
  result.first_minibatch = period.first_minibatch;
  result.samples_per_second = static_cast<double>(request.network.batch) / result.period_seconds;
  result.mean_over_minibatches = period.mean_over;
  result.relative_error_bound = period.relative_error_bound;
  result.outcome = outcome(period, request.tolerance);
  result.latency = metrics.latency.latency(period);
  return result;
}

std::vector<ProcessorResult> processor_results(const platforms::Machine& machine,
                                               const Schedule& schedule, const RunMetrics& metrics,
                                               const SteadyState& steady_state) {
  const std::vector<TimeUse> uses = metrics.stalls.time_use(metrics.events.makespan());
  const std::vector<std::vector<std::string>> layers = layers_of_processors(schedule);
  std::vector<ProcessorResult> results;
  for (ProcessorId p = 0; p < machine.processors.size(); ++p) {
    const std::int64_t busy = metrics.counts.busy_cycles(p);
    results.push_back({machine.processors[p], layers[p], uses[p].busy, busy,
                       fraction_of_period(static_cast<double>(busy), steady_state), uses[p].stalls,
                       metrics.memory.peak(p)});
  }
  return results;
}

std::vector<ChannelResult> channel_results(const platforms::Machine& machine,
                                           const RunMetrics& metrics,
                                           const SteadyState& steady_state) {
  std::vector<ChannelResult> results;
  for (std::size_t c = 0; c < metrics.channels.channels.size(); ++c) {
    const Channel& channel = metrics.channels.channels[c];
    const PerMinibatch::ChannelUse use = metrics.counts.channel(c);
    results.push_back({machine.processors[channel.source], machine.processors[channel.destination],
                       use.bytes, fraction_of_period(use.busy_cycles, steady_state)});
  }
  return results;
}

std::vector<LinkResult> link_results(const platforms::Machine& machine, const RunMetrics& metrics,
                                     const SteadyState& steady_state) {
  std::vector<std::int64_t> bytes(machine.links.size(), 0);
  std::vector<bool> is_used(machine.links.size(), false);
  for (std::size_t c = 0; c < metrics.channels.channels.size(); ++c) {
    for (const std::size_t link : metrics.channels.channels[c].route.links) {
      bytes[link] += metrics.counts.channel(c).bytes;
      is_used[link] = true;
    }
  }
  std::vector<LinkResult> results;
  for (std::size_t l = 0; l < machine.links.size(); ++l) {
    if (!is_used[l]) continue;
    const double cycles =
        static_cast<double>(bytes[l]) * machine.clock_hertz / machine.links[l].bytes_per_second;
    results.push_back({machine.links[l].name, bytes[l], fraction_of_period(cycles, steady_state),
                       machine.links[l].bytes_per_second, machine.links[l].latency_seconds});
  }
  return results;
}

std::vector<LayerResult> layer_results(const Schedule& schedule, const RunMetrics& metrics) {
  std::vector<LayerResult> results;
  for (std::size_t l = 0; l < schedule.layer_names.size(); ++l) {
    const LiveVersions::Most most = metrics.versions.most(l);
    const UsedVersions::Missing& missing = metrics.used_versions.most(l);
    results.push_back({schedule.layer_names[l], most.weights, most.activations, missing.in_forward,
                       most.lent_weights, most.queued, missing.pending});
  }
  return results;
}

}  // namespace

RunMetrics::RunMetrics(const RunRequest& request, const Schedule& schedule)
    : channels(used_channels(request.machine, schedule)),
      communication_cycles(sim::communication_cycles(request.machine, schedule, channels)),
      steady(
          schedule, request.iterations,
          {std::max(communication_cycles, static_cast<double>(slowest_processor_cycles(schedule))),
           request.until_steady ? request.tolerance : 0.0}),
      stalls(schedule),
      counts(schedule, channels, request.iterations, steady),
      conservation(schedule),
      latency(schedule, request.iterations, steady),
      versions(schedule),
      used_versions(schedule),
      memory(schedule, request.profile) {
  events.add(conservation);
  events.add(steady);
  events.add(stalls);
  events.add(counts);
  events.add(latency);
  events.add(versions);
  events.add(used_versions);
  events.add(memory);
}

Result summarize(const RunRequest& request, const Schedule& schedule, RunMetrics& metrics,
                 std::int64_t iterations) {
  metrics.conservation.check(iterations);
  metrics.used_versions.check(iterations);
  metrics.stalls.finish(metrics.events.makespan());
  metrics.counts.finish(iterations);
  const platforms::Machine& machine = request.machine;
  Result result;
  result.platform = machine.name;
  result.workload = request.network.name;
  result.schedule = schedule.name;
  result.options = request.options;
  result.batch = request.network.batch;
  result.iterations = iterations;
  result.iterations_requested = request.iterations;
  result.processors_given = static_cast<std::int64_t>(machine.processors.size());
  result.processors_used = static_cast<std::int64_t>(schedule.stages);
  result.engine = {simgrid_version(), simgrid_settings()};
  result.steady_state = steady_state(request, metrics);
  result.makespan_cycles = metrics.events.makespan();
  result.bounds = {slowest_processor_cycles(schedule), total_cycles(request.profile),
                   metrics.communication_cycles};
  result.processors = processor_results(machine, schedule, metrics, result.steady_state);
  result.communication_per_minibatch = metrics.counts.communication();
  result.channels = channel_results(machine, metrics, result.steady_state);
  result.links = link_results(machine, metrics, result.steady_state);
  result.layers = layer_results(schedule, metrics);
  return result;
}

}  // namespace layerpipe::sim
