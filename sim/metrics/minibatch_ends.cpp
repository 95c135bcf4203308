#include "sim/metrics/minibatch_ends.hpp"

#include <algorithm>

namespace layerpipe::metrics {

MinibatchEnds::MinibatchEnds(const contract::Schedule& schedule)
    : is_update_(schedule.ops.size(), false),
      updated_(schedule.ops.size(), 0),
      updates_(schedule.updates),
      missing_(schedule.updates.size()) {
  for (const contract::OpId op : updates_) is_update_[op] = true;
}

bool MinibatchEnds::record(const events::Event& event) {
  if (event.kind != events::EventKind::operation_ended || !is_update_[event.id]) return false;
  if (updated_[event.id]++ != ended_) return false;
  if (--missing_ > 0) return false;
  ++ended_;
  missing_ = static_cast<std::size_t>(
      std::count_if(updates_.begin(), updates_.end(),
                    [&](contract::OpId update) { return updated_[update] <= ended_; }));
  return true;
}

MiddleHalf middle_half(std::int64_t minibatches) {
  const std::int64_t begin = minibatches / 4;
  return {begin, std::max(begin + 1, 3 * minibatches / 4)};
}

}  // namespace layerpipe::metrics
