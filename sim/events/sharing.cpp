#include "sim/events/sharing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "workloads/base/error.hpp"
#include "workloads/base/text.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::events {

namespace {

using machine::Machine;

/// The contended channels over each link of the machine.
std::vector<std::vector<const Channel*>> flows_over_links(const Machine& machine,
                                                          const std::vector<Channel>& channels) {
  std::vector<std::vector<const Channel*>> flows(machine.links.size());
  for (const Channel& channel : channels) {
    if (!channel.is_contended) continue;
    for (const std::size_t link : channel.route.links) flows[link].push_back(&channel);
  }
  return flows;
}

bool holds_back(const Machine& machine, const Channel& channel, std::size_t link) {
  const double width = machine.links[link].bytes_per_second;
  return std::ranges::none_of(channel.route.links, [&](std::size_t other) {
    const machine::Link& another = machine.links[other];
    return another.shared ? another.bytes_per_second <= width : another.bytes_per_second < width;
  });
}

bool is_shorter(const Channel* a, const Channel* b) {
  return a->route.latency_seconds < b->route.latency_seconds;
}

std::string way(const Machine& machine, const Channel& channel) {
  return fmt::format("{} -> {} ({})", machine.processors[channel.source],
                     machine.processors[channel.destination],
                     base::format_given_seconds(channel.route.latency_seconds));
}

[[noreturn]] void refuse(const Machine& machine, const Channel& a, const Channel& b,
                         std::string_view why) {
  throw InfeasibleError(fmt::format("{}: the routes {} and {} {}", machine.name, way(machine, a),
                                    way(machine, b), why));
}

void check_link(const Machine& machine, std::size_t link,
                const std::vector<const Channel*>& flows) {
  constexpr double rounding = 1e-9;
  const auto [shortest, longest] = std::ranges::minmax_element(flows, is_shorter);
  const double least = (*shortest)->route.latency_seconds;
  const double most = (*longest)->route.latency_seconds;
  const std::string name = base::in_quotes(machine.links[link].name);
  if (machine.links[link].shared) {
    if (least > 0.0 || most <= 0.0) return;
    refuse(machine, **shortest, **longest,
           fmt::format("share link {}, and one has no latency: flows share by the inverse of "
                       "their latencies (expected a latency on both or on neither)",
                       name));
  }
  const bool is_limit = std::ranges::any_of(
      flows, [&](const Channel* flow) { return holds_back(machine, *flow, link); });
  if (!is_limit || most - least <= rounding * most) return;
  refuse(machine, **shortest, **longest,
         fmt::format("share links and cross FATPIPE link {}, which limits one of them: SimGrid "
                     "does not give each all of it (expected equal latencies, or a bandwidth of "
                     "{} that is not below that of all shared links of each route)",
                     name, name));
}

void check_spread(const Machine& machine, const std::vector<Channel>& channels) {
  constexpr double widest = 1e9 * (1.0 + 1e-9);
  std::vector<const Channel*> flows;
  for (const Channel& channel : channels) {
    if (channel.is_contended && channel.route.latency_seconds > 0.0) flows.push_back(&channel);
  }
  if (flows.empty()) return;
  const auto [shortest, longest] = std::ranges::minmax_element(flows, is_shorter);
  if ((*longest)->route.latency_seconds <= widest * (*shortest)->route.latency_seconds) return;
  refuse(machine, **shortest, **longest,
         "differ in latency by more than a factor of 10^9, and both share links: their shares "
         "cannot be computed exactly");
}

}  // namespace

bool holds_back(const Machine& machine, const std::vector<Channel>& channels, std::size_t link) {
  return std::ranges::any_of(channels, [&](const Channel& channel) {
    return channel.is_contended && std::ranges::count(channel.route.links, link) > 0 &&
           holds_back(machine, channel, link);
  });
}

void check_sharing(const Machine& machine, const std::vector<Channel>& channels) {
  const auto flows = flows_over_links(machine, channels);
  for (std::size_t link = 0; link < flows.size(); ++link) {
    if (!flows[link].empty()) check_link(machine, link, flows[link]);
  }
  check_spread(machine, channels);
}

}  // namespace layerpipe::events
