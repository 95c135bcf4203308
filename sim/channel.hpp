#pragma once

#include <cstddef>
#include <vector>

#include "platforms/machine.hpp"
#include "scheduler/schedule.hpp"

namespace layerpipe::sim {

/// The way of everything that one processor sends to another.
struct Channel {
  scheduler::ProcessorId source = 0;
  scheduler::ProcessorId destination = 0;
  platforms::Route route;
  bool is_contended = false;  ///< another channel of the schedule uses one of its links
};

/// The channels that a schedule uses, by source, then destination, and the channel of each tensor.
struct Channels {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);  ///< of a local tensor

  std::vector<Channel> channels;
  std::vector<std::size_t> of_tensor;
};

[[nodiscard]] bool has_shared_links(const Channels& channels);

/// Throws InputError if two processors that must talk have no route.
[[nodiscard]] Channels used_channels(const platforms::Machine& machine,
                                     const scheduler::Schedule& schedule);

/// Links of the machine on the routes of channels, in order, each once.
[[nodiscard]] std::vector<std::size_t> used_links(const Channels& channels);

}  // namespace layerpipe::sim
