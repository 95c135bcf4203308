#include "sim/events/channel.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "platforms/machine/transfer.hpp"
#include "sim/events/sharing.hpp"

namespace layerpipe::events {

namespace {

void mark_contended(const machine::Machine& machine, std::vector<Channel>& channels) {
  std::vector<int> users(machine.links.size(), 0);
  for (const Channel& channel : channels) {
    for (const std::size_t link : channel.route.links) ++users[link];
  }
  for (Channel& channel : channels) {
    channel.is_contended = std::any_of(
        channel.route.links.begin(), channel.route.links.end(),
        [&](std::size_t link) { return machine.links[link].shared && users[link] > 1; });
  }
}

std::vector<std::size_t> shared_links(const machine::Machine& machine,
                                      const std::vector<Channel>& channels) {
  std::set<std::size_t> links;
  for (const Channel& channel : channels) {
    for (const std::size_t link : channel.route.links) {
      if (machine.links[link].shared) links.insert(link);
    }
  }
  return {links.begin(), links.end()};
}

}  // namespace

bool has_shared_links(const Channels& channels) {
  return std::ranges::any_of(channels.channels, &Channel::is_contended);
}

Channels used_channels(const machine::Machine& machine, const contract::Schedule& schedule) {
  std::map<std::pair<costs::ProcessorId, costs::ProcessorId>, std::size_t> index;
  for (const contract::Tensor& tensor : schedule.tensors) {
    if (tensor.tensor_class == contract::TensorClass::local) continue;
    index.emplace(std::pair{tensor.source, tensor.destination}, 0);
  }
  Channels result;
  for (auto& [ends, channel] : index) {
    channel = result.channels.size();
    result.channels.push_back({ends.first, ends.second, machine.route(ends.first, ends.second)});
  }
  mark_contended(machine, result.channels);
  check_sharing(machine, result.channels);
  result.shared_links = shared_links(machine, result.channels);
  for (const contract::Tensor& tensor : schedule.tensors) {
    const auto channel = index.find({tensor.source, tensor.destination});
    result.of_tensor.push_back(channel == index.end() ? Channels::none : channel->second);
  }
  return result;
}

std::vector<std::int64_t> cycles_alone(const machine::Machine& machine,
                                       const contract::Schedule& schedule,
                                       const Channels& channels) {
  std::vector<std::int64_t> cycles;
  for (std::size_t t = 0; t < schedule.tensors.size(); ++t) {
    const std::size_t channel = channels.of_tensor[t];
    cycles.push_back(channel == Channels::none
                         ? 0
                         : machine::transfer_cycles(machine, channels.channels[channel].route,
                                                    schedule.tensors[t].bytes));
  }
  return cycles;
}

}  // namespace layerpipe::events
