#include "sim/metrics/conservation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/base/error.hpp"

namespace layerpipe::sim {

namespace {

/// [tensor]: the first minibatch of the run that is sent it. Parts are needed with what they are
/// parts of, which have higher ids.
std::vector<std::int64_t> first_users(const scheduler::Schedule& schedule,
                                      std::int64_t minibatches) {
  std::vector<std::int64_t> first(schedule.tensors.size(), minibatches);
  for (const scheduler::Edge& edge : schedule.edges) {
    if (edge.tensor == scheduler::Edge::no_tensor) continue;
    first[edge.tensor] = std::min(first[edge.tensor], edge.tokens);
  }
  for (std::size_t id = first.size(); id-- > 0;) {
    for (const scheduler::TensorId part : schedule.tensors[id].parts) {
      first[part] = std::min(first[part], first[id]);
    }
  }
  return first;
}

}  // namespace

Conservation::Conservation(const scheduler::Schedule& schedule, std::int64_t minibatches)
    : schedule_(schedule),
      minibatches_(minibatches),
      ops_(schedule.ops.size()),
      tensors_(schedule.tensors.size()) {}

void Conservation::record(const Event& event) {
  switch (event.kind) {
    case EventKind::operation_started:
      ++ops_[event.id].begun;
      break;
    case EventKind::operation_ended:
      ++ops_[event.id].ended;
      break;
    case EventKind::transfer_started:
      ++tensors_[event.id].begun;
      break;
    case EventKind::transfer_ended:
      ++tensors_[event.id].ended;
      break;
    case EventKind::sum_completed:
      ++tensors_[event.id].begun;
      ++tensors_[event.id].ended;
      break;
  }
}

void Conservation::check() const {
  for (std::size_t op = 0; op < ops_.size(); ++op) expect(ops_[op], minibatches_, "operation", op);
  const std::vector<std::int64_t> first = first_users(schedule_, minibatches_);
  for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
    expect(tensors_[tensor], minibatches_ - first[tensor], "tensor", tensor);
  }
}

void Conservation::expect(const Count& count, std::int64_t due, const char* what,
                          std::size_t id) const {
  if (count.begun == due && count.ended == due) return;
  throw InternalError(
      fmt::format("schedule {}: {} {} was begun {} and ended {} times in the run, expected {}",
                  schedule_.name, what, id, count.begun, count.ended, due));
}

}  // namespace layerpipe::sim
