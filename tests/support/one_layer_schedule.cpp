#include "tests/support/one_layer_schedule.hpp"

namespace layerpipe::tests {

scheduler::Schedule one_layer_schedule() {
  scheduler::Schedule schedule;
  schedule.ops.push_back({{{scheduler::OpKind::forward, 0, 1.0, 1}}, 0});
  schedule.ops.push_back({{{scheduler::OpKind::weight_gradient, 0, 1.0, 1}}, 0});
  schedule.updates = {1};
  return schedule;
}

}  // namespace layerpipe::tests
