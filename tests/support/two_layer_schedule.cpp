#include "tests/support/two_layer_schedule.hpp"

#include "tests/support/test_profile.hpp"

namespace layerpipe::tests {

using namespace contract;
using namespace costs;

Schedule two_layer_schedule() {
  Schedule schedule;
  schedule.name = "test";
  schedule.layer_names = {"a", "b"};
  schedule.ops = {
      {{{OpKind::forward, 0, 1.0, 10}}, 0},
      {{{OpKind::input_gradient, 1, 0.25, 5}}, 0},
      {{{OpKind::weight_gradient, 0, 1.0, 20}}, 0},
      {{{OpKind::forward, 1, 1.0, 12}}, 1},
      {{{OpKind::input_gradient, 1, 0.75, 15}, {OpKind::weight_gradient, 1, 1.0, 7}}, 1}};
  schedule.tensors = {{.producers = {0}, .source = 0, .destination = 1, .bytes = 64},
                      {.producers = {3, 4}, .source = 1, .destination = 0, .bytes = 0}};
  schedule.edges = {{0, 3, 0, InputKind::activation, 0}, {3, 4},
                    {4, 1, 0, InputKind::gradient, 1},   {3, 2, 0, InputKind::gradient, 1},
                    {1, 2, 0, InputKind::gradient},      {2, 0, 3, InputKind::weight_version}};
  schedule.orders = {StaticOrder{{{0, 0}, {1, 1}, {2, 1}}}, PriorityOrder{{{4, 0}, {3, 1}}},
                     StaticOrder{}};
  schedule.updates = {2, 4};
  schedule.stages = 2;
  return schedule;
}

Profile two_layer_profile() {
  Profile profile = test_profile({{10, 0, 20, 64}, {12, 20, 7}});
  profile.layers[0].name = "a";
  profile.layers[1].name = "b";
  return profile;
}

}  // namespace layerpipe::tests
