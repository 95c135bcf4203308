#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/schedule.hpp"
#include "sim/events.hpp"
#include "sim/metrics/minibatch_ends.hpp"

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
/// The period is exact if both the differences between ends and the state of the machine at them
/// repeat every K minibatches, over at least 2 K of them and at least the last quarter of what is
/// watched (a shorter stretch could repeat by chance); the smallest such K counts. The state is,
/// for each operation and tensor, how far it is ahead of the minibatch that ends, and since when it
/// has been executed or under way: ends alone can keep a rhythm for long while work piles up
/// somewhere. Otherwise the period is the mean over the middle half of all minibatches. Memory is
/// bounded: the latest `window` ends are kept.
class SteadyStateDetector final : public EventSink {
 public:
  static constexpr std::size_t window = 8192;

  SteadyStateDetector(const scheduler::Schedule& schedule, std::int64_t minibatches);

  void record(const Event& event) override;

  /// Precondition: the run is complete.
  [[nodiscard]] Period period() const;

 private:
  /// An operation or a tensor.
  struct Progress {
    std::int64_t started = 0;  ///< instances
    std::int64_t ended = 0;
    std::int64_t start_date = 0;  ///< of the latest one
  };
  struct End {
    std::int64_t date = 0;
    std::uint64_t state = 0;  ///< a hash of it, relative to the minibatch and its end
  };

  static void start(Progress& progress, std::int64_t date);
  void end_minibatch(std::int64_t date);
  [[nodiscard]] std::uint64_t state(std::int64_t date) const;
  [[nodiscard]] std::vector<End> steady_ends() const;
  [[nodiscard]] Period mean_period() const;

  MiddleHalf middle_half_;
  MinibatchEnds minibatches_;
  std::vector<Progress> ops_;
  std::vector<Progress> tensors_;
  std::vector<bool> is_first_forward_;  ///< [op]: has the forward pass of the first layer
  std::int64_t drain_date_ = 0;
  std::int64_t middle_begin_date_ = 0;
  std::int64_t middle_end_date_ = 0;
  std::vector<End> ends_;  ///< a ring: minibatch m at m modulo window
};

}  // namespace layerpipe::sim
