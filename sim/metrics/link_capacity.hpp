#pragma once

#include <cstdint>
#include <vector>

#include "platforms/machine/machine.hpp"
#include "scheduler/contract/schedule.hpp"
#include "sim/events/channel.hpp"
#include "sim/events/events.hpp"

namespace layerpipe::metrics {

/// Holds every link that transfers share against its bandwidth: from the date at which a transfer
/// begins to cross it, its latency over, to the one at which none is left under way, no more bytes
/// may arrive than the link can carry in that time. Throws InternalError from `record` if more do.
class LinkCapacity final : public events::EventSink {
 public:
  LinkCapacity(const machine::Machine& machine, const contract::Schedule& schedule,
               const events::Channels& channels);

  void record(const events::Event& event) override;

 private:
  /// From one date without transfers to the next.
  struct Load {
    std::int64_t under_way = 0;  ///< transfers
    double since = 0.0;          ///< date in cycles
    double bytes = 0.0;          ///< arrived
  };

  void start(const events::Channel& channel, std::int64_t date);
  void end(const events::Channel& channel, std::int64_t bytes, std::int64_t date);

  const machine::Machine& machine_;
  const contract::Schedule& schedule_;
  const events::Channels& channels_;
  std::vector<Load> loads_;  ///< [link of the machine]
};

}  // namespace layerpipe::metrics
