#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/schedule.hpp"
#include "sim/channel.hpp"
#include "sim/events.hpp"
#include "sim/metrics/minibatch_ends.hpp"

namespace layerpipe::sim {

/// Which share of the time processors and channels are busy while the middle half of the
/// minibatches ends: what a run without an exact period can say of its steady state.
class MiddleHalfUse final : public EventSink {
 public:
  MiddleHalfUse(const scheduler::Schedule& schedule, const Channels& channels,
                std::int64_t minibatches);

  void record(const Event& event) override;

  /// Fractions of 1. Precondition: the run is complete.
  [[nodiscard]] double processor(scheduler::ProcessorId processor) const;
  [[nodiscard]] double channel(std::size_t channel) const;

 private:
  /// A processor or a channel.
  struct Use {
    bool is_busy = false;
    std::int64_t since = 0;
    std::int64_t cycles = 0;  ///< in the middle half
  };

  static void start(Use& use, std::int64_t date);
  void end(Use& use, std::int64_t date) const;
  void open(std::int64_t date);
  void close(std::int64_t date);
  [[nodiscard]] double share(const Use& use) const;

  const scheduler::Schedule& schedule_;
  const std::vector<std::size_t>& channel_of_tensor_;
  MiddleHalf middle_half_;
  MinibatchEnds minibatches_;
  bool is_open_ = false;
  std::int64_t begin_date_ = 0;
  std::int64_t end_date_ = 0;
  std::vector<Use> processors_;
  std::vector<Use> channels_;
};

}  // namespace layerpipe::sim
