#include "scheduler/discipline/disciplines.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <string>
#include <tuple>

#include "workloads/base/error.hpp"

// Programs written down by hand from the papers that the headers name.
namespace layerpipe::discipline {
namespace {

using testing::ElementsAre;

const Discipline& find(std::string_view name) {
  for (const Discipline& discipline : disciplines()) {
    if (discipline.name == name) return discipline;
  }
  throw std::invalid_argument(std::string(name));
}

/// "F3", with the stage in front where a processor has several: "2F3". A lag of one is a prime.
std::string to_text(const Action& action, const PipelineShape& shape) {
  static const std::map<ActionKind, std::string> letters{{ActionKind::forward, "F"},
                                                         {ActionKind::input_gradient, "B"},
                                                         {ActionKind::weight_gradient, "W"},
                                                         {ActionKind::backward, "BW"}};
  return fmt::format("{}{}{}{}", shape.chunks > 1 ? std::to_string(action.stage) : "",
                     letters.at(action.kind), action.micro_batch,
                     std::string(static_cast<std::size_t>(action.lag), '\''));
}

/// A line for each processor.
std::vector<std::string> lines(std::string_view name, const PipelineShape& shape) {
  std::vector<std::string> result;
  for (const std::vector<Action>& actions : find(name).program(shape)) {
    std::string line;
    for (const Action& action : actions) {
      line += (line.empty() ? "" : " ") + to_text(action, shape);
    }
    result.push_back(line);
  }
  return result;
}

std::string refusal(std::string_view name, const PipelineShape& shape) {
  try {
    static_cast<void>(find(name).program(shape));
  } catch (const InfeasibleError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Disciplines, GPipe) {
  EXPECT_THAT(lines("gpipe", {2, 3}), ElementsAre("F0 F1 F2 BW0 BW1 BW2", "F0 F1 F2 BW0 BW1 BW2"));
}

TEST(Disciplines, OneForwardOneBackward) {
  EXPECT_THAT(lines("1f1b", {3, 4}),
              ElementsAre("F0 F1 F2 BW0 F3 BW1 BW2 BW3", "F0 F1 BW0 F2 BW1 F3 BW2 BW3",
                          "F0 BW0 F1 BW1 F2 BW2 F3 BW3"));
  EXPECT_THAT(lines("1f1b", {3, 1}), ElementsAre("F0 BW0", "F0 BW0", "F0 BW0"));
}

TEST(Disciplines, EagerOneForwardOneBackward) {
  EXPECT_THAT(lines("eager-1f1b", {3, 6}),
              ElementsAre("F0 F1 F2 F3 F4 BW0 F5 BW1 BW2 BW3 BW4 BW5",
                          "F0 F1 F2 BW0 F3 BW1 F4 BW2 F5 BW3 BW4 BW5",
                          "F0 BW0 F1 BW1 F2 BW2 F3 BW3 F4 BW4 F5 BW5"));
}

TEST(Disciplines, Interleaved) {
  EXPECT_THAT(lines("interleaved-1f1b", {2, 4, 2}),
              ElementsAre("0F0 0F1 2F0 2F1 0F2 2BW0 0F3 2BW1 2F2 0BW0 2F3 0BW1 2BW2 2BW3 0BW2 0BW3",
                          "1F0 1F1 3F0 3BW0 3F1 3BW1 1F2 1BW0 1F3 1BW1 3F2 3BW2 3F3 3BW3 1BW2 "
                          "1BW3"));
}

TEST(Disciplines, InterleavedWithOneStageIsEager) {
  EXPECT_EQ(lines("interleaved-1f1b", {3, 6, 1}), lines("eager-1f1b", {3, 6}));
}

TEST(Disciplines, LoopedBreadthFirst) {
  EXPECT_THAT(lines("looped-bfs", {2, 2, 2}), ElementsAre("0F0 0F1 2F0 2F1 2BW1 2BW0 0BW1 0BW0",
                                                          "1F0 1F1 3F0 3F1 3BW1 3BW0 1BW1 1BW0"));
}

TEST(Disciplines, ZeroBubbleH1) {
  EXPECT_THAT(lines("zb-h1", {3, 4}), ElementsAre("F0 F1 F2 B0 W0 F3 B1 W1 B2 W2 B3 W3",
                                                  "F0 F1 B0 F2 B1 W0 F3 B2 W1 B3 W2 W3",
                                                  "F0 B0 F1 B1 F2 B2 W0 F3 B3 W1 W2 W3"));
}

TEST(Disciplines, ZeroBubbleH2) {
  EXPECT_THAT(lines("zb-h2", {2, 3}),
              ElementsAre("F0 F1 F2 B0 W0 B1 W1 B2 W2", "F0 B0 F1 B1 F2 B2 W0 W1 W2"));
}

/// The first stage is two micro-batches ahead of its backward passes: of the last minibatch.
TEST(Disciplines, PipeDream2BW) {
  EXPECT_THAT(lines("pipedream-2bw", {3, 2}),
              ElementsAre("F0 BW0' F1 BW1'", "F0 BW1' F1 BW0", "F0 BW0 F1 BW1"));
}

TEST(Disciplines, RefuseShapesThatTheyHaveNoProgramFor) {
  EXPECT_EQ(refusal("interleaved-1f1b", {2, 3, 2}),
            "interleaved-1f1b: 3 micro-batches on 2 processors (expected a multiple)");
  EXPECT_EQ(refusal("zb-h2", {3, 4}),
            "zb-h2: 4 micro-batches on 3 processors (expected 5 or more)");
  EXPECT_EQ(refusal("zb-h2", {3, 5}), "accepted");
  EXPECT_EQ(refusal("pipedream-2bw", {4, 2}),
            "pipedream-2bw: 2 micro-batches on 4 processors (expected 3 or more)");
  EXPECT_EQ(refusal("pipedream-2bw", {4, 3}), "accepted");
}

/// On each processor, once for each of its stages and each micro-batch: F, B and W, or F and BW.
void expect_complete(const Discipline& discipline, const PipelineShape& shape) {
  std::map<std::tuple<ActionKind, std::size_t, std::size_t>, int> expected;
  std::map<std::tuple<ActionKind, std::size_t, std::size_t>, int> found;
  const std::vector<ActionKind> backward =
      discipline.splits_backward
          ? std::vector{ActionKind::input_gradient, ActionKind::weight_gradient}
          : std::vector{ActionKind::backward};
  for (std::size_t s = 0; s < shape.stages(); ++s) {
    for (std::size_t j = 0; j < shape.micro_batches; ++j) {
      expected[{ActionKind::forward, s, j}] = 1;
      for (const ActionKind kind : backward) expected[{kind, s, j}] = 1;
    }
  }
  const Program program = discipline.program(shape);
  ASSERT_EQ(program.size(), shape.processors);
  for (std::size_t p = 0; p < program.size(); ++p) {
    for (const Action& action : program[p]) {
      EXPECT_EQ(action.stage % shape.processors, p);
      ++found[{action.kind, action.stage, action.micro_batch}];
    }
  }
  EXPECT_EQ(found, expected);
}

TEST(Disciplines, DoEverythingOnce) {
  int shapes = 0;
  for (const Discipline& discipline : disciplines()) {
    for (std::size_t p = 1; p <= 5; ++p) {
      for (std::size_t m = 1; m <= 12; ++m) {
        for (std::size_t chunks = 1; chunks <= (discipline.has_chunks ? 3 : 1); ++chunks) {
          const PipelineShape shape{p, m, chunks};
          if (refusal(discipline.name, shape) != "accepted") continue;
          SCOPED_TRACE(
              fmt::format("{}, p = {}, m = {}, chunks = {}", discipline.name, p, m, chunks));
          expect_complete(discipline, shape);
          ++shapes;
        }
      }
    }
  }
  EXPECT_GT(shapes, 500);
}

}  // namespace
}  // namespace layerpipe::discipline
