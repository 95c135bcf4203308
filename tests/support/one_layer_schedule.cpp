#include "tests/support/one_layer_schedule.hpp"

namespace layerpipe::tests {

contract::Schedule one_layer_schedule() {
  contract::Schedule schedule;
  schedule.ops.push_back({{{costs::OpKind::forward, 0, 1.0, 1}}, 0});
  schedule.ops.push_back({{{costs::OpKind::weight_gradient, 0, 1.0, 1}}, 0});
  schedule.updates = {1};
  return schedule;
}

}  // namespace layerpipe::tests
