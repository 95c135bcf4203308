#include "sim/run/theory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scheduler/contract/allocation_of.hpp"
#include "scheduler/placement/allocation.hpp"
#include "scheduler/theory/token_graph.hpp"
#include "sim/events/channel.hpp"
#include "sim/run/recurrence_period.hpp"
#include "sim/trace/labels.hpp"

namespace layerpipe::run {

namespace {

using contract::Schedule;
using contract::Tensor;
using contract::TensorClass;
using contract::TensorId;

std::vector<std::string> node_names(const machine::Machine& machine, const Schedule& schedule) {
  std::vector<std::string> names;
  for (const trace::OperationLabel& label : trace::operation_labels(schedule))
    names.push_back(label.text);
  const std::vector<std::string> labels = trace::tensor_labels(schedule);
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

std::optional<BusiestChannel> busiest_channel(const Schedule& schedule,
                                              const events::Channels& channels,
                                              const theory::TransferCycles& transfer_cycles) {
  std::vector<BusiestChannel> all;
  for (const events::Channel& channel : channels.channels) {
    all.push_back({channel.source, channel.destination, 0});
  }
  for (TensorId id = 0; id < schedule.tensors.size(); ++id) {
    const std::size_t channel = channels.of_tensor[id];
    if (channel != events::Channels::none) all[channel].cycles += transfer_cycles(id);
  }
  const auto most = std::max_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  if (most == all.end()) return std::nullopt;
  return *most;
}

}  // namespace

Theory theory(const machine::Machine& machine, const costs::Profile& profile,
              const Schedule& schedule, std::int64_t minibatches) {
  const events::Channels channels = events::used_channels(machine, schedule);
  const theory::TransferCycles transfer_cycles = transfer_cycles_alone(machine, schedule, channels);
  const std::vector<std::string> names = node_names(machine, schedule);
  Theory result;
  const placement::Allocation allocation = allocation_of(schedule);
  result.graph = theory::dataflow_graph(profile, allocation);
  theory::Pipelining pipelining =
      pipeline(result.graph, staleness(allocation.delays, processors(allocation)));
  result.steps = std::move(pipelining.steps);
  result.retiming_obstacle = std::move(pipelining.obstacle);
  result.layers = layer_delays(schedule);
  result.memory = theory::layer_memory(schedule, profile, minibatches);
  result.critical_loop = critical_loop(theory::token_graph(schedule, transfer_cycles),
                                       [&names](std::size_t node) { return names[node]; });
  if (result.critical_loop) {
    for (const std::size_t node : result.critical_loop->path) result.path.push_back(names[node]);
  }
  result.slowest_processor_cycles = slowest_processor_cycles(schedule);
  result.busiest_channel = busiest_channel(schedule, channels, transfer_cycles);
  result.has_shared_links = has_shared_links(channels);
  result.recurrence = recurrence_period(schedule, minibatches, transfer_cycles);
  return result;
}

}  // namespace layerpipe::run
