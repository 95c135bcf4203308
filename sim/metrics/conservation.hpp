#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/schedule.hpp"
#include "sim/events.hpp"

namespace layerpipe::sim {

/// Watches that a run does all that its schedule asks for and nothing else.
class Conservation final : public EventSink {
 public:
  Conservation(const scheduler::Schedule& schedule, std::int64_t minibatches);

  void record(const Event& event) override;

  /// Throws InternalError unless every operation was executed once per minibatch, and every tensor
  /// was sent once for each minibatch that uses it and has arrived: bytes sent are bytes received.
  void check() const;

 private:
  /// How often something has begun, and ended.
  struct Count {
    std::int64_t begun = 0;
    std::int64_t ended = 0;
  };

  void expect(const Count& count, std::int64_t due, const char* what, std::size_t id) const;

  const scheduler::Schedule& schedule_;
  std::int64_t minibatches_;
  std::vector<Count> ops_;
  std::vector<Count> tensors_;
};

}  // namespace layerpipe::sim
