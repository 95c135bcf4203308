#include "sim/run/run_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/engine/load_machine.hpp"
#include "sim/engine/simgrid_versions.hpp"
#include "sim/run/communication_bound.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::run {

namespace {

using contract::Schedule;
using costs::ProcessorId;

/// The layers that each processor holds, in order of execution.
std::vector<std::vector<std::string>> layers_of_processors(const Schedule& schedule) {
  std::vector<std::vector<std::string>> layers(schedule.orders.size());
  for (const contract::Op& op : schedule.ops) {
    for (const contract::OpPart& part : op.parts) {
      if (part.kind != costs::OpKind::forward || part.micro_batch > 0) continue;
      layers[op.processor].push_back(schedule.layer_names[part.layer]);
    }
  }
  return layers;
}

std::string outcome(const metrics::Period& period, double tolerance) {
  if (period.exact) return "exact";
  const bool is_within = period.relative_error_bound && *period.relative_error_bound <= tolerance;
  return is_within ? "within_tolerance" : "limit";
}

metrics::SteadyState steady_state(const RunRequest& request, const RunMetrics& metrics) {
  const metrics::Period period = metrics.steady.period();
  metrics::SteadyState result;
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
  result.latency_growth = metrics.latency.growth(period);
  return result;
}

std::vector<metrics::ProcessorResult> processor_results(const machine::Machine& machine,
                                                        const Schedule& schedule,
                                                        const RunMetrics& metrics,
                                                        const metrics::MeasuredUse& use) {
  const std::vector<metrics::TimeUse> times = metrics.stalls.time_use(metrics.events.makespan());
  const std::vector<std::vector<std::string>> layers = layers_of_processors(schedule);
  std::vector<metrics::ProcessorResult> results;
  for (ProcessorId p = 0; p < machine.processors.size(); ++p) {
    const std::string& name = machine.processors[p];
    results.push_back({name, layers[p], times[p].busy, metrics.counts.busy_cycles(p),
                       metrics::busy_fraction(static_cast<double>(use.processor_cycles[p]),
                                              use.cycles, "processor " + name),
                       times[p].stalls, metrics.memory.peak(p), metrics.in_flight.peak(p)});
  }
  return results;
}

std::vector<metrics::ChannelResult> channel_results(const machine::Machine& machine,
                                                    const RunMetrics& metrics,
                                                    const metrics::MeasuredUse& use) {
  std::vector<metrics::ChannelResult> results;
  for (std::size_t c = 0; c < metrics.channels.channels.size(); ++c) {
    const events::Channel& channel = metrics.channels.channels[c];
    const std::string& from = machine.processors[channel.source];
    const std::string& to = machine.processors[channel.destination];
    results.push_back(
        {from, to, metrics.counts.bytes(c),
         metrics::busy_fraction(static_cast<double>(use.channel_cycles[c]), use.cycles,
                                fmt::format("channel {} -> {}", from, to))});
  }
  return results;
}

struct LinkBytes {
  bool is_used = false;
  std::int64_t per_minibatch = 0;
  std::int64_t measured = 0;
};

std::vector<LinkBytes> link_bytes(const machine::Machine& machine, const RunMetrics& metrics,
                                  const metrics::MeasuredUse& use) {
  std::vector<LinkBytes> bytes(machine.links.size());
  for (std::size_t c = 0; c < metrics.channels.channels.size(); ++c) {
    for (const std::size_t link : metrics.channels.channels[c].route.links) {
      bytes[link].is_used = true;
      bytes[link].per_minibatch += metrics.counts.bytes(c);
      bytes[link].measured += use.channel_bytes[c];
    }
  }
  return bytes;
}

std::vector<metrics::LinkResult> link_results(const machine::Machine& machine,
                                              const RunMetrics& metrics,
                                              const metrics::MeasuredUse& use) {
  const std::vector<LinkBytes> bytes = link_bytes(machine, metrics, use);
  std::vector<metrics::LinkResult> results;
  for (std::size_t l = 0; l < machine.links.size(); ++l) {
    if (!bytes[l].is_used) continue;
    const machine::Link& link = machine.links[l];
    metrics::LinkResult result{link.name, bytes[l].per_minibatch, std::nullopt,
                               link.bytes_per_second, link.latency_seconds};
    if (link.shared) {
      const double cycles =
          static_cast<double>(bytes[l].measured) * machine.clock_hertz / link.bytes_per_second;
      result.busy_fraction = metrics::busy_fraction(cycles, use.cycles, "link " + link.name);
    }
    results.push_back(result);
  }
  return results;
}

std::vector<metrics::LayerResult> layer_results(const Schedule& schedule,
                                                const RunMetrics& metrics) {
  std::vector<metrics::LayerResult> results;
  for (std::size_t l = 0; l < schedule.layer_names.size(); ++l) {
    const metrics::LiveVersions::Most most = metrics.versions.most(l);
    const metrics::UsedVersions::Missing& missing = metrics.used_versions.most(l);
    results.push_back({schedule.layer_names[l], most.weights, most.activations, missing.in_forward,
                       most.lent_weights, most.queued, missing.pending});
  }
  return results;
}

}  // namespace

RunMetrics::RunMetrics(const RunRequest& request, const Schedule& schedule)
    : channels(events::used_channels(request.machine, schedule)),
      communication_cycles(run::communication_cycles(request.machine, schedule, channels)),
      steady(
          schedule, request.iterations,
          {std::max(communication_cycles, static_cast<double>(slowest_processor_cycles(schedule))),
           request.until_steady ? request.tolerance : 0.0}),
      stalls(schedule, cycles_alone(request.machine, schedule, channels)),
      counts(schedule, channels, request.iterations, steady),
      steady_use(schedule, channels, steady),
      capacity(request.machine, schedule, channels),
      conservation(schedule),
      latency(schedule, request.iterations, steady),
      versions(schedule),
      used_versions(schedule),
      memory(schedule, request.profile),
      in_flight(schedule) {
  events.add(conservation);
  events.add(steady);
  events.add(stalls);
  events.add(counts);
  events.add(steady_use);
  events.add(capacity);
  events.add(latency);
  events.add(versions);
  events.add(used_versions);
  events.add(memory);
  events.add(in_flight);
}

metrics::Result summarize(const RunRequest& request, const Schedule& schedule, RunMetrics& metrics,
                          std::int64_t iterations) {
  metrics.conservation.check(iterations);
  metrics.used_versions.check(iterations);
  metrics.stalls.finish(metrics.events.makespan());
  metrics.counts.finish(iterations);
  const machine::Machine& machine = request.machine;
  metrics::Result result;
  result.platform = machine.name;
  result.workload = request.network.name;
  result.schedule = schedule.name;
  result.options = request.options;
  result.batch = request.network.batch;
  result.micro_batches = static_cast<std::int64_t>(schedule.micro_batches);
  result.iterations = iterations;
  result.iterations_requested = request.iterations;
  result.processors_given = static_cast<std::int64_t>(machine.processors.size());
  result.processors_used = static_cast<std::int64_t>(schedule.stages);
  result.engine = {engine::simgrid_version(), engine::simgrid_settings()};
  result.steady_state = steady_state(request, metrics);
  result.makespan_cycles = metrics.events.makespan();
  result.bounds = {slowest_processor_cycles(schedule),
                   request.one_processor_cycles.value_or(total_cycles(request.profile)),
                   metrics.communication_cycles};
  const metrics::MeasuredUse use = metrics.steady_use.use(metrics.events.makespan());
  result.processors = processor_results(machine, schedule, metrics, use);
  result.communication_per_minibatch = metrics.counts.communication();
  result.channels = channel_results(machine, metrics, use);
  result.links = link_results(machine, metrics, use);
  result.layers = layer_results(schedule, metrics);
  return result;
}

}  // namespace layerpipe::run
