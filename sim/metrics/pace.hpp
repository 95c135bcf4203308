#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "sim/metrics/batches.hpp"

namespace layerpipe::metrics {

/// How fast a run goes on.
struct Pace {
  double cycles_per_minibatch = 0.0;
  std::int64_t first_minibatch = 0;  ///< of those that it is the mean over
  std::int64_t minibatches = 0;      ///< that it is the mean over
  /// What the period may be off, as a fraction of `cycles_per_minibatch`; none where the run gives
  /// no ground for a bound.
  std::optional<double> relative_error_bound;
};

/// Estimates the period of a run by non-overlapping batch means, of the second half of what it is
/// told: 16 to 32 batches, whose size doubles as the run goes on (Law and Kelton, "Simulation
/// Modeling and Analysis", ch. 9: batch means; Law and Carson, "A sequential procedure for
/// determining the length of a steady-state simulation", Operations Research 27, 1979: doubling).
///
/// In a steady state all operations advance at the rate of the minibatches. So every operation is
/// an estimate of its own, and the bound is the largest of
///  - the half-width of the interval in which the mean of any operation lies with a confidence of
///    99 % (Student's t), the greatest for batches of this size, twice, four times it and so on:
///    where batches are correlated, small ones make it too narrow;
///  - how far the pace of any operation is from that of the minibatches: a processor that gets
///    ahead of others, or falls behind, lives on the minibatches in flight, and will not for ever;
///  - how much the pace of any operation differs between the halves of the batches;
///  - how far the pace is below the static bound.
/// There is none where the run is shorter than `fewest_minibatches`, or where the bound would be
/// more than `largest_bound`: such a run is in a transient, from which nothing follows for the
/// steady state.
class PaceEstimator {
 public:
  static constexpr std::int64_t fewest_minibatches = 1000;
  static constexpr double largest_bound = 0.002;

  /// `least_cycles`: no period is shorter.
  PaceEstimator(const contract::Schedule& schedule, double least_cycles);

  void operation_ended(contract::OpId op, std::int64_t date) {
    ends_of_ops_[op].add(static_cast<double>(date));
  }
  void minibatch_ended(std::int64_t date) { ends_.add(static_cast<double>(date)); }

  /// None before there are 32 batches.
  [[nodiscard]] std::optional<Pace> pace() const;

 private:
  [[nodiscard]] std::int64_t batch_size() const;

  double least_cycles_;
  Batches<double> ends_;                      ///< of minibatches: dates
  std::vector<Batches<double>> ends_of_ops_;  ///< [op]: dates
};

}  // namespace layerpipe::metrics
