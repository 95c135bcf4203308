#include "sim/engine/flow_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <simgrid/s4u.hpp>

#include "sim/events/sharing.hpp"

namespace sg4 = simgrid::s4u;

namespace layerpipe::engine {

namespace {

/// Bytes per cycle.
constexpr double no_limit = 1e30;

/// The shortest latency of the routes of contended channels that have one; a cycle if none has.
double unit_seconds(const machine::Machine& machine, const std::vector<events::Channel>& channels) {
  double shortest = 0.0;
  for (const events::Channel& channel : channels) {
    const double latency = channel.route.latency_seconds;
    if (!channel.is_contended || latency <= 0.0) continue;
    shortest = shortest > 0.0 ? std::min(shortest, latency) : latency;
  }
  return shortest > 0.0 ? shortest : 1.0 / machine.clock_hertz;
}

}  // namespace

void prepare_links(const machine::Machine& machine, const std::vector<events::Channel>& channels) {
  const double unit = unit_seconds(machine, channels);
  sg4::Engine::set_config(fmt::format("network/latency-factor:{}", unit * machine.clock_hertz));
  std::set<std::size_t> links;
  for (const events::Channel& channel : channels) {
    if (channel.is_contended) links.insert(channel.route.links.begin(), channel.route.links.end());
  }
  for (const std::size_t l : links) {
    const machine::Link& link = machine.links[l];
    const bool is_limit = link.shared || holds_back(machine, channels, l);
    sg4::Link* const simulated = sg4::Link::by_name(link.name);
    simulated->set_bandwidth(is_limit ? link.bytes_per_second / machine.clock_hertz : no_limit);
    simulated->set_latency(link.latency_seconds / unit);
  }
}

}  // namespace layerpipe::engine
