#include "scheduler/theory/critical_loop.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "workloads/base/error.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace theory;
using testing::ElementsAre;

std::string number(std::size_t node) { return std::to_string(node); }

std::optional<CriticalLoop> critical_loop(const TokenGraph& graph) {
  return theory::critical_loop(graph, number);
}

/// (3 + 4) / 1 beats (3 + 4 + 9) / 3.
TEST(CriticalLoop, HasTheMostCyclesPerDelay) {
  const auto loop =
      critical_loop({{3, 4, 9}, {{0, 1, 0}, {1, 0, 1}, {1, 2, 2}, {2, 0, 1}, {0, 1, 5}}});
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->cycles, 7);
  EXPECT_EQ(loop->delays, 1);
  EXPECT_EQ(loop->cycles_per_delay(), 7.0);
  EXPECT_THAT(loop->path, ElementsAre(0, 1));
}

/// By one cycle in 10^14, which Howard's algorithm in double precision does not see.
TEST(CriticalLoop, IsExact) {
  constexpr std::int64_t most = 33'333'333'333'333;
  const auto loop =
      critical_loop({{most, most - 1, most, most}, {{0, 1, 1}, {1, 0, 1}, {2, 3, 2}, {3, 2, 0}}});
  ASSERT_TRUE(loop);
  EXPECT_THAT(loop->path, ElementsAre(2, 3));
}

TEST(CriticalLoop, NothingWithoutALoopThatTakesTime) {
  EXPECT_FALSE(critical_loop({}));
  EXPECT_FALSE(critical_loop({{1, 2}, {{0, 1, 0}}}));
  EXPECT_FALSE(critical_loop({{0, 0, 5}, {{0, 1, 0}, {1, 0, 1}, {1, 2, 0}}}));
}

TEST(CriticalLoop, OneNodeCanWaitForItself) {
  const auto loop = critical_loop({{5, 6}, {{0, 0, 1}, {1, 1, 2}}});
  ASSERT_TRUE(loop);
  EXPECT_THAT(loop->path, ElementsAre(0));
}

std::string error_of(const TokenGraph& graph) {
  try {
    critical_loop(graph);
  } catch (const DeadlockError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CriticalLoop, RefusesLoopsWithoutTokens) {
  EXPECT_THAT(error_of({{1, 1, 1}, {{0, 1, 0}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}}}),
              testing::AnyOf(testing::HasSubstr("1 -> 2 -> 1 wait for each other"),
                             testing::HasSubstr("2 -> 1 -> 2 wait for each other")));
  EXPECT_NE(error_of({{1, 1}, {{0, 1, -2}, {1, 0, 1}}}), "no error");
  EXPECT_EQ(error_of({{1, 1}, {{0, 1, -2}, {1, 0, 3}}}), "no error");
}

/// The best ratio of all simple loops, by trying each.
struct BestLoop {
  std::int64_t cycles = 0;
  std::int64_t delays = 1;
  bool has_loop_without_tokens = false;
};

BestLoop best_of_all_loops(const TokenGraph& graph) {
  BestLoop best;
  std::vector<bool> is_on_path(graph.cycles.size(), false);
  const std::function<void(std::size_t, std::size_t, std::int64_t, std::int64_t)> extend =
      [&](std::size_t start, std::size_t node, std::int64_t cycles, std::int64_t tokens) {
        is_on_path[node] = true;
        cycles += graph.cycles[node];
        for (const TokenGraph::Edge& edge : graph.edges) {
          if (edge.from != node || edge.to < start) continue;
          const std::int64_t delays = tokens + edge.tokens;
          if (edge.to != start) {
            if (!is_on_path[edge.to]) extend(start, edge.to, cycles, delays);
          } else if (delays <= 0) {
            best.has_loop_without_tokens = true;
          } else if (cycles * best.delays > best.cycles * delays) {
            best.cycles = cycles;
            best.delays = delays;
          }
        }
        is_on_path[node] = false;
      };
  for (std::size_t start = 0; start < graph.cycles.size(); ++start) extend(start, start, 0, 0);
  return best;
}

TokenGraph random_graph(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::uint64_t limit) { return random() % limit; };
  TokenGraph graph;
  const std::uint64_t nodes = 1 + below(7);
  const std::uint64_t largest = seed % 3 == 0 ? 4 : 1000;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    graph.cycles.push_back(static_cast<std::int64_t>(below(largest)));
  }
  for (std::uint64_t i = below(3 * nodes); i > 0; --i) {
    const std::uint64_t from = below(nodes);
    const std::uint64_t to = below(nodes);
    std::int64_t tokens = static_cast<std::int64_t>(below(4));
    if (tokens == 0 && to <= from) ++tokens;
    if (seed % 5 == 0) tokens += static_cast<std::int64_t>(from) - static_cast<std::int64_t>(to);
    if (below(15) == 0) --tokens;
    graph.edges.push_back({from, to, tokens});
  }
  return graph;
}

void expect_is_a_loop(const TokenGraph& graph, const CriticalLoop& loop) {
  std::int64_t cycles = 0;
  for (std::size_t i = 0; i < loop.path.size(); ++i) {
    const std::size_t next = loop.path[(i + 1) % loop.path.size()];
    cycles += graph.cycles[loop.path[i]];
    EXPECT_TRUE(std::ranges::any_of(graph.edges, [&](const TokenGraph::Edge& edge) {
      return edge.from == loop.path[i] && edge.to == next;
    }));
  }
  EXPECT_EQ(loop.cycles, cycles);
}

TEST(CriticalLoop, IsTheBestOfAllLoops) {
  int deadlocks = 0;
  int loops = 0;
  for (std::uint64_t seed = 0; seed < 20000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const TokenGraph graph = random_graph(seed);
    const BestLoop best = best_of_all_loops(graph);
    if (best.has_loop_without_tokens) {
      ++deadlocks;
      EXPECT_NE(error_of(graph), "no error");
      continue;
    }
    const auto found = critical_loop(graph);
    ASSERT_EQ(found.has_value(), best.cycles > 0);
    if (!found) continue;
    ++loops;
    EXPECT_EQ(found->cycles * best.delays, best.cycles * found->delays);
    expect_is_a_loop(graph, *found);
  }
  EXPECT_GT(deadlocks, 500);
  EXPECT_GT(loops, 5000);
}

}  // namespace
}  // namespace layerpipe::tests
