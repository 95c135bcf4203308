#pragma once

#include <string>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "sim/events/channel.hpp"

namespace layerpipe::engine {

/// Prepares SimGrid's links for the network flows of the contended ones among `channels`, in the
/// process that has loaded `machine` and before its engine runs: from then on one simulated second
/// is one cycle on the routes of these channels.
///
/// SimGrid weighs a flow with the inverse of its route's latency, and compares sums of weights with
/// an absolute precision. So links get their latencies in units of the shortest of the routes,
/// which brings the largest weight to 1, and the setting `network/latency-factor` brings the delay
/// of a flow back to cycles: it multiplies the delay and not the weight. A FATPIPE link that holds
/// nobody back takes no part in the sharing. Precondition: check_sharing.
void prepare_links(const machine::Machine& machine, const std::vector<events::Channel>& channels);

}  // namespace layerpipe::engine
