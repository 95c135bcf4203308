#pragma once

#include <cstdint>

#include "sim/events/events.hpp"

namespace layerpipe::bench {

/// Counts operations and transfers that have ended.
class CountActivities final : public sim::EventSink {
 public:
  void record(const sim::Event& event) override {
    if (event.kind == sim::EventKind::operation_ended ||
        event.kind == sim::EventKind::transfer_ended) {
      ++count;
    }
  }
  std::int64_t count = 0;
};

}  // namespace layerpipe::bench
