#include "sim/metrics/link_capacity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/base/error.hpp"
#include "workloads/base/text.hpp"

namespace layerpipe::metrics {

LinkCapacity::LinkCapacity(const machine::Machine& machine, const contract::Schedule& schedule,
                           const events::Channels& channels)
    : machine_(machine), schedule_(schedule), channels_(channels), loads_(machine.links.size()) {}

void LinkCapacity::record(const events::Event& event) {
  if (event.kind != events::EventKind::transfer_started &&
      event.kind != events::EventKind::transfer_ended)
    return;
  const events::Channel& channel = channels_.channels[channels_.of_tensor[event.id]];
  if (!channel.is_contended) return;
  if (event.kind == events::EventKind::transfer_started) {
    start(channel, event.date);
  } else {
    end(channel, schedule_.tensors[event.id].bytes, event.date);
  }
}

void LinkCapacity::start(const events::Channel& channel, std::int64_t date) {
  const double begin =
      static_cast<double>(date) + channel.route.latency_seconds * machine_.clock_hertz;
  for (const std::size_t link : channel.route.links) {
    Load& load = loads_[link];
    load.since = load.under_way == 0 ? begin : std::min(load.since, begin);
    if (load.under_way++ == 0) load.bytes = 0.0;
  }
}

void LinkCapacity::end(const events::Channel& channel, std::int64_t bytes, std::int64_t date) {
  constexpr double rounding = 1e-9;
  for (const std::size_t l : channel.route.links) {
    const machine::Link& link = machine_.links[l];
    Load& load = loads_[l];
    load.bytes += static_cast<double>(bytes);
    if (--load.under_way > 0 || !link.shared) continue;
    const double bytes_per_cycle = link.bytes_per_second / machine_.clock_hertz;
    const double cycles = static_cast<double>(date) - load.since;
    if (load.bytes <= bytes_per_cycle * (cycles * (1.0 + rounding) + 1.0)) continue;
    throw InternalError(fmt::format(
        "link {} has carried {:.0f} bytes from cycle {:.1f} to {}, at {:.6g} bytes a cycle",
        base::in_quotes(link.name), load.bytes, load.since, date, bytes_per_cycle));
  }
}

}  // namespace layerpipe::metrics
