#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace layerpipe::memory {

/// Something that happens once per minibatch in an execution of a schedule.
enum class StepKind {
  operation_started,
  operation_ended,
  tensor_arrived,  ///< at its destination; a local tensor: it is complete
};

/// Instance k of what is kept meets this step of minibatch k + lag; none, if that is negative.
struct Step {
  StepKind kind = StepKind::operation_ended;
  std::size_t id = 0;  ///< OpId or TensorId
  std::int64_t lag = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

/// When all of the steps have happened or, if `is_first`, one of them has. Never, without steps.
struct Moment {
  std::vector<Step> steps;
  bool is_first = false;
};

/// Of each instance of what is kept, one per minibatch: from one moment to another, or not at all
/// if that comes first. It is there at a date if `from` is no later, and `to` is.
struct Lifetime {
  Moment from;
  Moment to;
};

[[nodiscard]] inline Lifetime between(Moment from, Moment to) {
  Lifetime lifetime;
  lifetime.from = std::move(from);
  lifetime.to = std::move(to);
  return lifetime;
}

}  // namespace layerpipe::memory
