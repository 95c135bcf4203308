#include <gtest/gtest.h>

#include <algorithm>

#include "scheduler/discipline/pipedream_schedule.hpp"
#include "tests/support/simulated_runs.hpp"
#include "tests/support/test_profile.hpp"

namespace layerpipe {
namespace {

using contract::InputKind;
using contract::Schedule;
using contract::StaticOrder;
using contract::TensorClass;
using costs::OpKind;
using machine::Topology;

/// p0 executes one cycle and then sends 64000 bytes each to p1 and p2, which execute one cycle each
/// when theirs has come.
Schedule one_sender_two_receivers() {
  Schedule schedule;
  schedule.name = "broadcast";
  schedule.layer_names = {"a", "b", "c"};
  for (const std::size_t p : {0U, 1U, 2U}) {
    schedule.ops.push_back({{{OpKind::forward, p, 1.0, 1}}, p});
    schedule.orders.push_back(StaticOrder{{{p, 0}}});
  }
  schedule.tensors.push_back({{0}, 0, 1, 64000, TensorClass::mandatory, 0});
  schedule.tensors.push_back({{0}, 0, 2, 64000, TensorClass::mandatory, 0});
  schedule.edges.push_back({0, 1, 0, InputKind::activation, 0});
  schedule.edges.push_back({0, 2, 0, InputKind::activation, 1});
  schedule.updates = {1, 2};
  schedule.stages = 3;
  return schedule;
}

/// At 64 bytes a cycle 64000 bytes take 1000 cycles alone. On a crossbar both leave p0 by the same
/// link and halve its bandwidth (max-min fairness of equal flows): 2000 cycles. On a chain the way
/// to p2 leads over the link to p1: the same. Between two other pairs nothing is shared.
TEST(SharedLinks, TwoTransfersOnOneLinkTakeTwiceAsLong) {
  const Schedule schedule = one_sender_two_receivers();
  for (const Topology topology : {Topology::crossbar, Topology::chain}) {
    const auto runs = tests::simulated_runs(tests::latency_free(3, topology), {schedule}, 1);
    EXPECT_EQ(runs.front().makespan, 1 + 2000 + 1);
  }
}

/// The longer of two transfers goes on alone: 64000 and 128000 bytes share 64 bytes a cycle for
/// 2000 cycles, then 64000 bytes are left for another 1000. Each link adds its latency of 7 cycles
/// once, at the start; a crossbar's route has two.
TEST(SharedLinks, TheLongerTransferGoesOnAlone) {
  Schedule schedule = one_sender_two_receivers();
  schedule.tensors[1].bytes = 128000;
  file::PlatformSpec spec = tests::latency_free(3, Topology::crossbar);
  spec.link_latency_seconds = 7e-9;
  const auto runs = tests::simulated_runs(spec, {schedule}, 1);
  EXPECT_EQ(runs.front().makespan, 1 + 14 + 3000 + 1);
}

TEST(SharedLinks, TwoTransfersOnLinksOfTheirOwnDoNot) {
  Schedule schedule = one_sender_two_receivers();
  // The second tensor comes from p3, which executes one cycle at the same time as p0.
  schedule.layer_names.push_back("d");
  schedule.ops.push_back({{{OpKind::forward, 3, 1.0, 1}}, 3});
  schedule.orders.push_back(StaticOrder{{{3, 0}}});
  schedule.tensors[1].producers = {3};
  schedule.tensors[1].source = 3;
  schedule.edges[1].from = 3;
  const auto runs =
      tests::simulated_runs(tests::latency_free(4, Topology::crossbar), {schedule}, 1);
  EXPECT_EQ(runs.front().makespan, 1 + 1000 + 1);
}

/// By hand, at 1 byte a cycle and 200 cycles of latency. p1 sends 20,000 bytes to p2 from 50,201
/// on: 9,799 of them have arrived at 60,200. Then p0's flows to p1 and p2 begin, both at this date,
/// and share the link out of p0: half a byte a cycle each, which leaves half of the link into p2 to
/// p1's flow. At 80,200 p0's 10,000 bytes each are there, and of p1's 201 are left, which go alone.
TEST(SharedLinks, TwoFlowsOfOneSourceThatBeginAtOneDateSlowAThird) {
  Schedule schedule;
  schedule.name = "overbooked";
  schedule.layer_names = {"a", "b", "c"};
  schedule.ops = {{{{OpKind::forward, 0, 1.0, 60'000}}, 0},
                  {{{OpKind::forward, 1, 1.0, 50'201}}, 1},
                  {{{OpKind::weight_gradient, 1, 1.0, 1}}, 1},
                  {{{OpKind::forward, 2, 1.0, 1}}, 2}};
  schedule.orders = {StaticOrder{{{0, 0}}}, StaticOrder{{{1, 0}, {2, 0}}}, StaticOrder{{{3, 0}}}};
  schedule.tensors = {{{0}, 0, 1, 10'000, TensorClass::mandatory, 0},
                      {{0}, 0, 2, 10'000, TensorClass::mandatory, 0},
                      {{1}, 1, 2, 20'000, TensorClass::mandatory, 1}};
  schedule.edges = {{0, 2, 0, InputKind::activation, 0},
                    {0, 3, 0, InputKind::activation, 1},
                    {1, 3, 0, InputKind::activation, 2}};
  schedule.updates = {2, 3};
  schedule.stages = 3;
  file::PlatformSpec spec = tests::latency_free(3, Topology::crossbar);
  spec.link_bytes_per_second = 1e9;
  spec.link_latency_seconds = 100e-9;
  const auto runs = tests::simulated_runs(spec, {schedule}, 1);
  EXPECT_EQ(runs.front().makespan, 80'401 + 1);
}

/// Any transfer of a byte or more takes a whole cycle, also where the links could do it in less: 8
/// bytes at 10^8 bytes a cycle are under way for less time than dates are compared with.
TEST(SharedLinks, NoTransferTakesLessThanACycle) {
  file::PlatformSpec spec = tests::latency_free(3, Topology::crossbar);
  spec.link_bytes_per_second = 1e17;
  Schedule schedule = one_sender_two_receivers();
  for (contract::Tensor& tensor : schedule.tensors) tensor.bytes = 8;
  const auto runs = tests::simulated_runs(spec, {schedule}, 1);
  EXPECT_EQ(runs.front().makespan, 1 + 1 + 1);
}

/// Under a fixed order a slower link can only delay: the dates of a marked graph with fixed orders
/// grow with every duration in it.
TEST(SharedLinks, MakespanNeverFallsWhenLinksGetSlower) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const costs::Profile profile = tests::random_profile(5, seed);
    const Schedule schedule =
        discipline::pipedream_schedule("pipedream", profile, {0, 1, 1, 2, 3}, 4);
    std::int64_t previous = 0;
    for (const double bytes_per_second : {1e12, 64e9, 8e9, 1e9, 0.3e9}) {
      file::PlatformSpec spec = tests::latency_free(4, Topology::chain);
      spec.link_bytes_per_second = bytes_per_second;
      const auto runs = tests::simulated_runs(spec, {schedule}, 30);
      EXPECT_GE(runs.front().makespan, previous)
          << "seed " << seed << ", " << bytes_per_second << " bytes/s";
      previous = runs.front().makespan;
    }
  }
}

}  // namespace
}  // namespace layerpipe
