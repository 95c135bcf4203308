#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "sim/events/events.hpp"
#include "sim/metrics/minibatch_ends.hpp"
#include "sim/metrics/pace.hpp"

namespace layerpipe::metrics {

/// The rhythm in which minibatches end.
struct Period {
  bool exact = false;
  double cycles_per_minibatch = 0.0;
  std::int64_t minibatches = 0;      ///< smallest number after which the rhythm repeats; 0 if none
  std::int64_t first_minibatch = 0;  ///< with whose end it begins, or the first of a mean
  std::int64_t mean_over = 0;        ///< minibatches; 0 where it is exact
  /// How far the period of an endless run may be from this, as a fraction of it: 0 where it is
  /// exact; none where the run gives no ground for a bound.
  std::optional<double> relative_error_bound = {};
};

struct SteadyStateOptions {
  double least_cycles = 0.0;  ///< no period is shorter
  double tolerance = 0.0;     ///< a mean whose bound is no larger is good enough
};

/// Watches the ends of minibatches: a minibatch ends with its last update.
///
/// The period is exact if the state of the run is the same at the ends of two minibatches. The
/// state is, relative to the minibatch and to the date at whose end it is taken,
///  - for each operation and tensor how many instances have started and ended, and since when the
///    latest has been executed or under way;
///  - for each tensor since when its instances have waited for the channel;
///  - how much is left of each network flow, in steps of 10^-4 cycles;
///  - the cycles to the next date.
/// What happens next is a function of it, so that all from the one end to the other will happen
/// again and again. This does not hold once the run drains, that is, once something is left out
/// because it belongs to a minibatch that the run does not have: from there on nothing is looked
/// for.
///
/// Otherwise the period is a mean with what it may be off (PaceEstimator), of what came before the
/// drain; in a run that is too short for that the mean over the middle half of all minibatches,
/// without. Memory is bounded: the latest `window` ends are kept.
class SteadyStateDetector final : public events::EventSink {
 public:
  static constexpr std::size_t window = 8192;

  SteadyStateDetector(const contract::Schedule& schedule, std::int64_t minibatches,
                      const SteadyStateOptions& options = {});

  void record(const events::Event& event) override;
  void date_over(std::int64_t next, const events::FlowsLeft& flows) override;

  [[nodiscard]] std::int64_t minibatches_ended() const { return minibatches_.ended(); }
  [[nodiscard]] bool is_draining() const { return is_draining_; }
  /// The exact period, as soon as it is known.
  [[nodiscard]] const std::optional<Period>& exact_period() const { return exact_; }
  /// True once another exact period has passed behind the two by which it was found, without drain.
  [[nodiscard]] bool has_passed() const { return has_passed_; }
  /// A mean that is good enough, as soon as there is one. It is looked for now and then.
  [[nodiscard]] const std::optional<Period>& settled_period() const { return settled_; }

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
    std::int64_t minibatch = 0;
    std::int64_t date = 0;
  };

  static void start(Progress& progress, std::int64_t date);
  void look_for_repetition(std::uint64_t state);
  [[nodiscard]] std::uint64_t state(std::int64_t next, const events::FlowsLeft& flows) const;
  void look_for_settled_mean();
  [[nodiscard]] Period mean_of_middle_half() const;

  std::int64_t total_;  ///< minibatches
  double tolerance_;
  MiddleHalf middle_half_;
  MinibatchEnds minibatches_;
  std::vector<Progress> ops_;
  std::vector<Progress> tensors_;
  std::vector<std::vector<std::int64_t>> queued_;  ///< [tensor]: dates, of instances that wait
  std::vector<std::int64_t> tokens_;  ///< [op]: the most of any tensor that comes from it
  std::int64_t end_date_ = 0;         ///< of the latest minibatch
  std::int64_t ends_seen_ = 0;
  bool is_draining_ = false;
  std::int64_t middle_begin_date_ = 0;
  std::int64_t middle_end_date_ = 0;
  std::unordered_map<std::uint64_t, End> ends_;  ///< by the state there
  std::deque<std::uint64_t> states_;             ///< the keys of `ends_`, the oldest first
  std::optional<Period> exact_;
  std::int64_t found_at_ = 0;  ///< minibatches that had ended then
  bool has_passed_ = false;
  PaceEstimator pace_;
  std::int64_t next_look_ = PaceEstimator::fewest_minibatches;  ///< minibatches ended
  std::optional<Period> settled_;
};

}  // namespace layerpipe::metrics
