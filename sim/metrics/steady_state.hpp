#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/schedule.hpp"
#include "sim/events.hpp"

namespace layerpipe::sim {

/// The rhythm in which minibatches end.
struct Period {
  bool exact = false;
  double cycles_per_minibatch = 0.0;
  std::int64_t minibatches = 0;      ///< smallest number after which the rhythm repeats; 0 if none
  std::int64_t first_minibatch = 0;  ///< from which on it does
};

/// Watches the ends of minibatches: a minibatch ends with its last update. Ends after the last
/// forward pass of the first layer are left out: from there on the run drains.
///
/// The period is exact if the differences between ends repeat every K minibatches, over at least
/// 2 K of them and at least the last quarter of what is watched (a shorter stretch could repeat by
/// chance); the smallest such K counts. Otherwise it is the mean over the middle half of all
/// minibatches. Memory is bounded: the latest `window` ends are kept.
class SteadyStateDetector final : public EventSink {
 public:
  static constexpr std::size_t window = 8192;

  SteadyStateDetector(const scheduler::Schedule& schedule, std::int64_t minibatches);

  void record(const Event& event) override;

  /// Precondition: the run is complete.
  [[nodiscard]] Period period() const;

 private:
  void end_update(scheduler::OpId op, std::int64_t date);
  void end_minibatch(std::int64_t date);
  [[nodiscard]] std::vector<std::int64_t> steady_ends() const;
  [[nodiscard]] Period mean_period() const;

  std::int64_t minibatches_;
  std::vector<bool> is_first_forward_;      ///< [op]: has the forward pass of the first layer
  std::vector<bool> is_update_;             ///< [op]
  std::vector<std::int64_t> updates_done_;  ///< [op]: minibatches that it has updated
  std::vector<scheduler::OpId> updates_;
  std::size_t updates_missing_;  ///< of the oldest minibatch that has not ended
  std::int64_t ended_ = 0;
  std::int64_t drain_date_ = 0;
  std::int64_t middle_begin_date_ = 0;
  std::int64_t middle_end_date_ = 0;
  std::vector<std::int64_t> ends_;  ///< a ring: minibatch m at m modulo window
};

}  // namespace layerpipe::sim
