#include "sim/metrics/conservation.hpp"

#include <fmt/format.h>

#include "workloads/base/error.hpp"

namespace layerpipe::metrics {

Conservation::Conservation(const contract::Schedule& schedule)
    : schedule_(schedule), ops_(schedule.ops.size()), tensors_(schedule.tensors.size()) {}

void Conservation::record(const events::Event& event) {
  switch (event.kind) {
    case events::EventKind::operation_started:
      ++ops_[event.id].begun;
      break;
    case events::EventKind::operation_ended:
      ++ops_[event.id].ended;
      break;
    case events::EventKind::transfer_queued:
      break;
    case events::EventKind::transfer_started:
      ++tensors_[event.id].begun;
      break;
    case events::EventKind::transfer_ended:
      ++tensors_[event.id].ended;
      break;
    case events::EventKind::sum_completed:
      ++tensors_[event.id].begun;
      ++tensors_[event.id].ended;
      break;
  }
}

void Conservation::check(std::int64_t minibatches) const {
  for (std::size_t op = 0; op < ops_.size(); ++op) expect(ops_[op], minibatches, "operation", op);
  const std::vector<std::int64_t> first = contract::least_tokens(schedule_, minibatches);
  for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
    expect(tensors_[tensor], minibatches - first[tensor], "tensor", tensor);
  }
}

void Conservation::expect(const Count& count, std::int64_t due, const char* what,
                          std::size_t id) const {
  if (count.begun == due && count.ended == due) return;
  throw InternalError(
      fmt::format("schedule {}: {} {} was begun {} and ended {} times in the run, expected {}",
                  schedule_.name, what, id, count.begun, count.ended, due));
}

}  // namespace layerpipe::metrics
