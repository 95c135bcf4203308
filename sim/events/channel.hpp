#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"

namespace layerpipe::events {

/// The way of everything that one processor sends to another.
struct Channel {
  costs::ProcessorId source = 0;
  costs::ProcessorId destination = 0;
  machine::Route route;
  bool is_contended = false;  ///< another channel of the schedule uses one of its links
};

/// The channels that a schedule uses, by source, then destination, and the channel of each tensor.
struct Channels {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);  ///< of a local tensor

  std::vector<Channel> channels;
  std::vector<std::size_t> of_tensor;
  /// Links of the machine on the routes of channels, in order, each once; without FATPIPE ones, of
  /// which each transfer has all.
  std::vector<std::size_t> shared_links = {};
};

[[nodiscard]] bool has_shared_links(const Channels& channels);

/// Throws InputError if two processors that must talk have no route, and as check_sharing.
[[nodiscard]] Channels used_channels(const machine::Machine& machine,
                                     const contract::Schedule& schedule);

/// What the transfer of each tensor takes if no other one shares its links, in cycles; 0 for a
/// local one. Throws as machine::transfer_cycles.
[[nodiscard]] std::vector<std::int64_t> cycles_alone(const machine::Machine& machine,
                                                     const contract::Schedule& schedule,
                                                     const Channels& channels);

}  // namespace layerpipe::events
