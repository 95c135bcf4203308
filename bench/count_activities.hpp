#pragma once

#include <cstdint>

#include "sim/events/events.hpp"

namespace layerpipe::bench {

/// Counts operations and transfers that have ended.
class CountActivities final : public events::EventSink {
 public:
  void record(const events::Event& event) override {
    if (event.kind == events::EventKind::operation_ended ||
        event.kind == events::EventKind::transfer_ended) {
      ++count;
    }
  }
  std::int64_t count = 0;
};

}  // namespace layerpipe::bench
