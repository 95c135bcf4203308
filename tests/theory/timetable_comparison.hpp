#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/events/events.hpp"

namespace layerpipe::tests {

/// Says where the events of a run differ from a timetable.
class TimetableComparison final : public events::EventSink {
 public:
  TimetableComparison(const contract::Schedule& schedule, const theory::Timetable& timetable);

  void record(const events::Event& event) override;

  /// A line for each of the first, and one if there are more or fewer events than there should be.
  [[nodiscard]] std::string differences() const;

 private:
  [[nodiscard]] theory::Span expected_span(const events::Event& event) const;
  [[nodiscard]] std::size_t producer_minibatch(const events::Event& event) const;
  [[nodiscard]] bool is_local(contract::TensorId id) const;
  void difference(const events::Event& event, std::int64_t expected);

  const contract::Schedule& schedule_;
  const theory::Timetable& timetable_;
  /// [tensor]: of an edge that waits for it, or for what it is a part of.
  std::vector<std::int64_t> least_tokens_;
  std::size_t expected_ = 0;
  std::size_t seen_ = 0;
  std::string differences_;
};

}  // namespace layerpipe::tests
