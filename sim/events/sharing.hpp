#pragma once

#include <cstddef>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "sim/events/channel.hpp"

namespace layerpipe::events {

/// Whether a link that is not shared (FATPIPE) holds back a contended channel: whether it is
/// narrower than all shared links of its route, and as narrow as any other.
[[nodiscard]] bool holds_back(const machine::Machine& machine, const std::vector<Channel>& channels,
                              std::size_t link);

/// Refuses shares of links that have no meaning, or that SimGrid does not give. Throws
/// InfeasibleError
///  - if of two contended channels on one shared link one has a latency and the other has none: the
///    weight of a flow is the inverse of its latency;
///  - if latencies of contended channels differ by more than a factor of 10^9;
///  - if a FATPIPE link holds back a contended channel and another one on it has another latency:
///    SimGrid 3.32 gives the other one less than all of the link.
void check_sharing(const machine::Machine& machine, const std::vector<Channel>& channels);

}  // namespace layerpipe::events
