#include "sim/sweep/points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/base/error.hpp"

namespace layerpipe::sweep {
namespace {

using namespace metrics;

using testing::ElementsAre;

/// 2 workloads, 2 bandwidths, 2 numbers of processors, 3 arrays, 2 schedules.
SweepSpec spec() {
  return {.file = "s.yaml",
          .workloads = {{"a", "a.yaml", "", 8}, {"b", "b.yaml", "", 16}},
          .platforms = {},
          .arrays = {{8, 8}, {16, 16}, {32, 32}},
          .dataflows = {array::Dataflow::output_stationary},
          .weight_gradient_dataflows = {std::nullopt},
          .input_gradients = {network::InputGradientMapping::gemm},
          .clocks_hertz = {1e9},
          .bandwidths = {1e9, 2e9},
          .latencies = {0.0},
          .topologies = {machine::Topology::chain},
          .processors = {1, 2},
          .batches = {std::nullopt},
          .schedulers = {&scheduler::schedulers()[0], &scheduler::schedulers()[1]},
          .splits = {costs::Split::ideal},
          .iterations = {10},
          .until_steady = true,
          .inputs = {}};
}

std::vector<std::size_t> numbers(const std::vector<Point>& points) {
  std::vector<std::size_t> result;
  for (const Point& point : points) result.push_back(point.number);
  return result;
}

TEST(Points, AreTheProductWhoseFirstListChangesSlowest) {
  const SweepSpec lists = spec();
  const std::vector<Point> all = points(lists);
  ASSERT_EQ(all.size(), 48U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Point& point = all[i];
    EXPECT_EQ(point.number, i);
    // i = (((workload * 3 + array) * 2 + bandwidth) * 2 + processors) * 2 + schedule
    EXPECT_EQ(point.workload, &lists.workloads[i / 24]);
    EXPECT_EQ(point.batch, i < 24 ? 8 : 16);
    EXPECT_EQ(point.machine.array.rows, lists.arrays[i / 8 % 3].rows);
    EXPECT_EQ(point.machine.link_bytes_per_second, lists.bandwidths[i / 4 % 2]);
    EXPECT_EQ(point.machine.processors, i / 2 % 2 == 0 ? 1 : 2);
    EXPECT_EQ(point.scheduler, lists.schedulers[i % 2]);
    EXPECT_EQ(point.machine.array.weight_gradient_dataflow, array::Dataflow::output_stationary);
  }
}

TEST(Points, OfPlatformsFromFiles) {
  SweepSpec lists = spec();
  lists.platforms = {{"p", "p.xml", {.rows = 4, .cols = 2}, 6}};
  lists.arrays = {{}};
  lists.bandwidths = {1e9};
  lists.processors = {std::nullopt, 2};
  const std::vector<Point> all = points(lists);
  ASSERT_EQ(all.size(), 8U);
  EXPECT_EQ(all[0].machine.processors, 6);
  EXPECT_EQ(all[2].machine.processors, 2);
  EXPECT_EQ(all[2].machine.array.cols, 2);
  EXPECT_EQ(all[2].platform, &lists.platforms[0]);
}

TEST(Points, AreNotMoreThanAMillion) {
  SweepSpec lists = spec();
  lists.iterations.assign(30'000, 10);  // 48 * 30,000 = 1,440,000
  EXPECT_THAT([&] { static_cast<void>(points(lists)); },
              testing::ThrowsMessage<InfeasibleError>(
                  "s.yaml: more than 1,000,000 points (expected shorter lists)"));
}

TEST(Shares, DivideThePoints) {
  const SweepSpec lists = spec();
  const std::vector<Point> all = points(lists);
  EXPECT_THAT(numbers(share_of(all, {2, 10})), ElementsAre(1, 11, 21, 31, 41));
  std::size_t total = 0;
  for (std::size_t part = 1; part <= 7; ++part) total += share_of(all, {part, 7}).size();
  EXPECT_EQ(total, all.size());
  EXPECT_TRUE(share_of(all, {49, 49}).empty());
}

// Equal platforms: 2 bandwidths x 2 numbers of processors, whatever network, array and schedule.
TEST(Chunks, ArePointsOfOnePlatform) {
  const SweepSpec lists = spec();
  const std::vector<Chunk> chunks = chunks_by_platform(points(lists), 5);
  EXPECT_THAT(numbers(chunks[0]), ElementsAre(0, 1, 8, 9, 16));
  EXPECT_THAT(numbers(chunks[1]), ElementsAre(2, 3, 10, 11, 18));
  std::size_t total = 0;
  for (const Chunk& chunk : chunks) total += chunk.size();
  EXPECT_EQ(total, 48U);
  EXPECT_EQ(chunks.size(), 4U * 3U);  // 12 points each, in chunks of 5, 5 and 2
}

}  // namespace
}  // namespace layerpipe::sweep
