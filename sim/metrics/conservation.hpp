#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "sim/events/events.hpp"

namespace layerpipe::metrics {

/// Watches that a run does all that its schedule asks for and nothing else.
class Conservation final : public events::EventSink {
 public:
  explicit Conservation(const contract::Schedule& schedule);

  void record(const events::Event& event) override;

  /// Throws InternalError unless the run had so many minibatches: every operation was executed once
  /// per minibatch, and every tensor was sent once for each minibatch that uses it and has arrived.
  /// So bytes sent are bytes received.
  void check(std::int64_t minibatches) const;

 private:
  /// How often something has begun, and ended.
  struct Count {
    std::int64_t begun = 0;
    std::int64_t ended = 0;
  };

  void expect(const Count& count, std::int64_t due, const char* what, std::size_t id) const;

  const contract::Schedule& schedule_;
  std::vector<Count> ops_;
  std::vector<Count> tensors_;
};

}  // namespace layerpipe::metrics
