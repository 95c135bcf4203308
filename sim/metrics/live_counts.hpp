#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/memory/lifetime.hpp"
#include "sim/events/events.hpp"

namespace layerpipe::metrics {

/// Counts how many instances of what is kept are there, now and at most. Takes as much memory as
/// there are lifetimes, however long the run is, and of a moment of many steps looks at all of them
/// once for each instance.
///
/// What is there at a date is what is left when all that happens at that date has happened; only
/// that counts for the most. So the order of the events of one date is without effect.
///
/// Precondition: each operation is executed, and each tensor arrives, in order of minibatches.
class LiveCounts final : public events::EventSink {
 public:
  LiveCounts(const contract::Schedule& schedule, std::vector<memory::Lifetime> lifetimes);

  void record(const events::Event& event) override;

  /// A count that the last event has changed.
  struct Change {
    std::size_t lifetime = 0;
    std::int64_t more = 0;  ///< less, if negative
  };
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }

  /// After the last event, whether more will happen at its date or not.
  [[nodiscard]] std::int64_t count(std::size_t lifetime) const { return counts_[lifetime]; }

  /// At any date so far.
  [[nodiscard]] std::int64_t most(std::size_t lifetime) const;

 private:
  /// How many instances have met a moment, so far.
  struct Met {
    std::int64_t instances = 0;
    std::size_t behind = 0;  ///< steps that no more instances have met, where all have to
  };

  /// A step of the moment at which instances of a lifetime begin, or of that at which they end.
  struct Place {
    std::size_t lifetime = 0;
    bool is_end = false;
    std::int64_t lag = 0;
  };

  /// What has happened of the steps of one kind: [id].
  struct Happened {
    std::vector<std::int64_t> counts;
    std::vector<std::vector<Place>> places;
  };

  void add_moment(std::size_t lifetime, bool is_end);
  [[nodiscard]] std::int64_t count(const memory::Step& step) const;
  [[nodiscard]] Met met(const memory::Moment& moment) const;
  void step_further(const Place& place, std::int64_t instances);
  [[nodiscard]] const memory::Moment& moment(std::size_t lifetime, bool is_end) const {
    return is_end ? lifetimes_[lifetime].to : lifetimes_[lifetime].from;
  }
  [[nodiscard]] std::int64_t alive(std::size_t lifetime) const;

  std::vector<memory::Lifetime> lifetimes_;
  std::array<std::vector<Met>, 2> met_;  ///< [begin, end][lifetime]
  std::array<Happened, 3> happened_;     ///< [StepKind]
  std::vector<std::int64_t> counts_;     ///< [lifetime]
  std::vector<std::int64_t> most_;       ///< [lifetime]: up to the date before the last
  std::vector<Change> changes_;
  std::vector<std::size_t> changed_;  ///< lifetimes, at the last date; some more than once
  std::int64_t date_ = 0;
};

}  // namespace layerpipe::metrics
