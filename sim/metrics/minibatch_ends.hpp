#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "sim/events/events.hpp"

namespace layerpipe::metrics {

/// Counts the minibatches that have ended: one ends with the last of its updates.
class MinibatchEnds {
 public:
  explicit MinibatchEnds(const contract::Schedule& schedule);

  /// To be called for every event of the run; true if it ended a minibatch.
  bool record(const events::Event& event);

  [[nodiscard]] std::int64_t ended() const { return ended_; }

 private:
  std::vector<bool> is_update_;        ///< [op]
  std::vector<std::int64_t> updated_;  ///< [op]: minibatches
  std::vector<contract::OpId> updates_;
  std::size_t missing_;  ///< updates of the oldest minibatch that has not ended
  std::int64_t ended_ = 0;
};

/// The middle half of a run's minibatches: begin is the first of them, end the one behind the last.
/// Never empty.
struct MiddleHalf {
  std::int64_t begin = 0;
  std::int64_t end = 1;
};

[[nodiscard]] MiddleHalf middle_half(std::int64_t minibatches);

}  // namespace layerpipe::metrics
