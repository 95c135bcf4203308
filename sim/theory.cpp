#include "sim/theory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/transfer.hpp"
#include "scheduler/allocation.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "scheduler/theory/token_graph.hpp"
#include "sim/channel.hpp"
#include "sim/metrics/replay.hpp"
#include "sim/trace/labels.hpp"

namespace layerpipe::sim {

namespace {

using scheduler::Schedule;
using scheduler::Tensor;
using scheduler::TensorClass;
using scheduler::TensorId;

std::vector<std::string> node_names(const platforms::Machine& machine, const Schedule& schedule) {
  std::vector<std::string> names;
  for (const OperationLabel& label : operation_labels(schedule)) names.push_back(label.text);
  const std::vector<std::string> labels = tensor_labels(schedule);
  for (TensorId id = 0; id < schedule.tensors.size(); ++id) {
    const Tensor& tensor = schedule.tensors[id];
    const bool stays = tensor.tensor_class == TensorClass::local;
    names.push_back(stays ? labels[id]
                          : fmt::format("{} from {} to {}", labels[id],
                                        machine.processors[tensor.source],
                                        machine.processors[tensor.destination]));
  }
  return names;
}

std::optional<BusiestChannel> busiest_channel(const Schedule& schedule, const Channels& channels,
                                              const scheduler::TransferCycles& transfer_cycles) {
  std::vector<BusiestChannel> all;
  for (const Channel& channel : channels.channels) {
    all.push_back({channel.source, channel.destination, 0});
  }
  for (TensorId id = 0; id < schedule.tensors.size(); ++id) {
    const std::size_t channel = channels.of_tensor[id];
    if (channel != Channels::none) all[channel].cycles += transfer_cycles(id);
  }
  const auto most = std::max_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  if (most == all.end()) return std::nullopt;
  return *most;
}

Period recurrence_period(const Schedule& schedule, std::int64_t minibatches,
                         const scheduler::TransferCycles& transfer_cycles) {
  SteadyStateDetector steady(schedule, minibatches);
  replay(timetable(schedule, minibatches, transfer_cycles), steady);
  Period period = steady.period();
  if (!period.exact) {
    period.cycles_per_minibatch = std::max(period.cycles_per_minibatch,
                                           static_cast<double>(slowest_processor_cycles(schedule)));
  }
  return period;
}

}  // namespace

Theory theory(const platforms::Machine& machine, const scheduler::Profile& profile,
              const Schedule& schedule, std::int64_t minibatches) {
  const Channels channels = used_channels(machine, schedule);
  const auto transfer_cycles = [&](TensorId id) {
    return platforms::transfer_cycles(machine, channels.channels[channels.of_tensor[id]].route,
                                      schedule.tensors[id].bytes);
  };
  const std::vector<std::string> names = node_names(machine, schedule);
  Theory result;
  result.graph = dataflow_graph(profile, allocation_of(schedule));
  result.steps = pipeline(result.graph);
  result.layers = layer_delays(schedule);
  result.memory = layer_memory(schedule, profile, minibatches);
  result.critical_loop = critical_loop(token_graph(schedule, transfer_cycles),
                                       [&names](std::size_t node) { return names[node]; });
  if (result.critical_loop) {
    for (const std::size_t node : result.critical_loop->path) result.path.push_back(names[node]);
  }
  result.slowest_processor_cycles = slowest_processor_cycles(schedule);
  result.busiest_channel = busiest_channel(schedule, channels, transfer_cycles);
  result.has_shared_links =
      std::any_of(channels.channels.begin(), channels.channels.end(),
                  [](const Channel& channel) { return channel.is_contended; });
  result.recurrence = recurrence_period(schedule, minibatches, transfer_cycles);
  return result;
}

}  // namespace layerpipe::sim
