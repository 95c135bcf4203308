#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/contract/schedule.hpp"
#include "scheduler/costs/profile.hpp"
#include "scheduler/theory/recurrence.hpp"

namespace layerpipe::tests {

/// Bytes of a gradient at a value or at an output of the network, on one processor.
struct HeldGradient {
  costs::ProcessorId processor = 0;
  std::int64_t bytes = 0;
  std::int64_t from = 0;
  std::int64_t to = -1;  ///< the last date at which something needs them
};

/// All that exist for one minibatch, each once, by what docs/model.md says of the way of gradients
/// (Graphs, Backward) and of their bytes (Memory). Of the schedule it takes where operations are
/// and who lends; of the timetable, dates. Precondition: no layer takes two values.
[[nodiscard]] std::vector<HeldGradient> held_gradients(const costs::Profile& profile,
                                                       const contract::Schedule& schedule,
                                                       const theory::Timetable& table,
                                                       std::int64_t minibatch);

/// The same between the whole backward passes of a PipeDream schedule.
[[nodiscard]] std::vector<HeldGradient> held_between_stages(const costs::Profile& profile,
                                                            const contract::Schedule& schedule,
                                                            const theory::Timetable& table,
                                                            std::int64_t minibatch);

}  // namespace layerpipe::tests
