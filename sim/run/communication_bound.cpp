#include "sim/run/communication_bound.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "platforms/machine/transfer.hpp"

namespace layerpipe::run {

double communication_cycles(const machine::Machine& machine, const contract::Schedule& schedule,
                            const events::Channels& channels) {
  std::vector<double> of_links(machine.links.size(), 0.0);
  std::vector<double> of_channels(channels.channels.size(), 0.0);
  for (std::size_t t = 0; t < schedule.tensors.size(); ++t) {
    const std::size_t c = channels.of_tensor[t];
    if (c == events::Channels::none) continue;
    const std::int64_t bytes = schedule.tensors[t].bytes;
    const machine::Route& route = channels.channels[c].route;
    of_channels[c] += static_cast<double>(machine::transfer_cycles(machine, route, bytes));
    for (const std::size_t l : route.links) {
      const machine::Link& link = machine.links[l];
      if (!link.shared) continue;
      of_links[l] += static_cast<double>(bytes) * machine.clock_hertz / link.bytes_per_second;
    }
  }
  double most = 0.0;
  for (const double cycles : of_links) most = std::max(most, cycles);
  for (const double cycles : of_channels) most = std::max(most, cycles);
  return most;
}

}  // namespace layerpipe::run
