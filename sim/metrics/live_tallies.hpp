#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/memory/lifetime.hpp"
#include "sim/events/events.hpp"
#include "sim/metrics/live_counts.hpp"

namespace layerpipe::metrics {

/// Lifetimes, each of which counts for one of several tallies.
struct TalliedLifetimes {
  std::vector<memory::Lifetime> lifetimes;
  std::vector<std::size_t> tally_of;  ///< [lifetime]
  std::size_t tallies = 0;

  void add(memory::Lifetime lifetime, std::size_t tally);
};

/// Counts how many instances of all that counts for a tally are there at most at once, as
/// LiveCounts does of one lifetime.
class LiveTallies final : public events::EventSink {
 public:
  LiveTallies(const contract::Schedule& schedule, const TalliedLifetimes& tallied);

  void record(const events::Event& event) override;

  /// At any date so far.
  [[nodiscard]] std::int64_t most(std::size_t tally) const;

 private:
  struct Tally {
    std::int64_t now = 0;
    std::int64_t most = 0;  ///< up to the date before the last
  };

  std::vector<std::size_t> tally_of_;
  LiveCounts counts_;
  std::vector<Tally> tallies_;
  std::vector<std::size_t> changed_;  ///< at the last date; some more than once
  std::int64_t date_ = 0;
};

}  // namespace layerpipe::metrics
