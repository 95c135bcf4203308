#include "scheduler/discipline/pytorch_schedule.hpp"

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/discipline/gpipe.hpp"
#include "scheduler/discipline/interleaved.hpp"
#include "scheduler/discipline/lower.hpp"
#include "scheduler/discipline/one_f_one_b.hpp"
#include "scheduler/pytorch_scheduler.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::tests {
namespace {

using namespace discipline;
using testing::ElementsAre;
using theory::timetable;

std::vector<Action> row(const PytorchSchedule& schedule, std::size_t rank) {
  return schedule.program.at(rank);
}

TEST(PytorchSchedule, IsARowForEachRank) {
  // As PyTorch writes it: CRLF, empty cells where a rank is idle. Stage 2 is on rank 0 (a V).
  const PytorchSchedule schedule =
      parse_pytorch_schedule("0F0,,2F0, 2I0 ,\"2W0\",0B0,\r\n,1F0,,,,1B0\r\n\r\n", "plan.csv");
  EXPECT_THAT(schedule.rank_of_stage, ElementsAre(0, 1, 0));
  EXPECT_EQ(schedule.micro_batches, 1U);
  using enum ActionKind;
  EXPECT_THAT(row(schedule, 0), ElementsAre(Action{forward, 0, 0}, Action{forward, 2, 0},
                                            Action{input_gradient, 2, 0},
                                            Action{weight_gradient, 2, 0}, Action{backward, 0, 0}));
  EXPECT_THAT(row(schedule, 1), ElementsAre(Action{forward, 1, 0}, Action{backward, 1, 0}));
}

TEST(PytorchSchedule, IsWrittenWithoutEmptyCells) {
  const PytorchSchedule schedule =
      parse_pytorch_schedule("0F0,0F1,,0I0,0W0,0B1\n,1F0,1F1,1B0,1B1\n", "plan.csv");
  const std::string text = pytorch_csv(schedule.program);
  EXPECT_EQ(text, "0F0,0F1,0I0,0W0,0B1\n1F0,1F1,1B0,1B1\n");
  EXPECT_EQ(parse_pytorch_schedule(text, "plan.csv").program, schedule.program);
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_pytorch_schedule(text, "plan.csv"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(PytorchSchedule, RefusesWhatIsNoScheduleWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "plan.csv: there are no actions (expected a row of them for each rank)"},
      {"0F0,0B0\n,,\n1F0,1B0\n",
       "plan.csv:2:1: rank 1 has no actions (expected a row for each rank, with cells such as "
       "0F0)"},
      {"0F0,0X0",
       "plan.csv:1:5: unknown action '0X0' (expected a stage, F, B, I or W, and a micro-batch, "
       "such "
       "as 2F0, or SEND_F, RECV_F, SEND_B or RECV_B between them)"},
      {"0F0,0BW0",
       "plan.csv:1:5: unknown action '0BW0' (expected B for a whole backward pass and I for input "
       "gradients, which older versions of PyTorch call BW and B)"},
      {"0F0,(0F1;0B0)OVERLAP_F_B",
       "plan.csv:1:5: '(0F1;0B0)OVERLAP_F_B': a processor executes one operation at a time "
       "(expected "
       "each action in a cell of its own, in the order of their execution)"},
      {"0F0,0B0\n0F1,0B1", "plan.csv:2:1: stage 0 is on rank 1 (expected rank 0, as of 0F0 there)"},
      {"0F0,0B0\n2F0,2B0",
       "plan.csv:2:1: stage 2, but no stage 1 (expected stages from 0 on, without gaps)"},
      {"0F0,0F1,0B0,0B1\n1F0,1B0",
       "plan.csv:2:1: no 1F1 (expected each stage to have all of micro-batches 0 to 1)"},
      {"0F0,0F1,0B0",
       "plan.csv:1:5: no 0B1, or I and W, (expected each stage to have all of micro-batches 0 to "
       "1)"},
      {"0F0,0I0", "plan.csv:1:5: no 0W0 (expected each stage to have all of micro-batches 0 to 0)"},
      {"0F0,0F0,0B0", "plan.csv:1:5: 0F0 is there a second time (expected once)"},
      {"0F0,0I0,0B0,0W0", "plan.csv:1:9: 0B0 beside 0I0 (expected B, or I and W)"},
      {"0F0,0B0,0W0", "plan.csv:1:9: 0W0 beside 0B0 (expected B, or I and W)"},
      {"0F0,0W0,0I0", "plan.csv:1:5: 0W0 before 0I0 (expected after it, on the same rank)"},
      {"0B0,0F0", "plan.csv:1:1: 0B0 before 0F0 (expected after it, on the same rank)"},
      {"0F1234567,0B0", "plan.csv:1:3: number '1234567' is too large (expected at most 6 digits)"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(refusal(text), message);
  for (const char* cell : {"F0", "0F", "00", "0", "0F0B", "-1F0", "0f0", "0SEND_F", "0UNSHARD1"}) {
    EXPECT_THAT(refusal(std::string("0F0,0B0,") + cell), testing::StartsWith("plan.csv:1:9: unkn"))
        << cell;
  }
}

// What PyTorch's own lowering adds to 0F0,0B0 and 1F0,1B0: it posts what a rank receives when the
// other one sends it.
const std::string lowered =
    "0UNSHARD,0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD,0RESHARD\n"
    "1UNSHARD,1RECV_F0,1F0,1B0,1SEND_B0,1REDUCE_GRAD,1RESHARD\n";

TEST(PytorchSchedule, TakesMessagesThatSayNoMore) {
  EXPECT_EQ(pytorch_csv(parse_pytorch_schedule(lowered, "plan.csv").program), "0F0,0B0\n1F0,1B0\n");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(PytorchSchedule, RefusesOtherMessages) {
  EXPECT_EQ(refusal(replaced(lowered, "0SEND_F0,", "")),
            "plan.csv:1:10: what 0F0 makes is not sent (expected 0SEND_F0 on rank 0, as there are "
            "SEND and RECV cells)");
  EXPECT_EQ(refusal(replaced(lowered, "0RECV_B0,", "")),
            "plan.csv:2:23: what 1B0 makes is not received (expected 0RECV_B0 on rank 0, as there "
            "are SEND and RECV cells)");
  EXPECT_EQ(refusal(replaced(lowered, "1RECV_F0,1F0", "1F0,1RECV_F0")),
            "plan.csv:2:14: 1RECV_F0 comes after the action that needs it (expected before)");
  EXPECT_EQ(refusal(replaced(lowered, "1SEND_B0", "1SEND_B0,1SEND_B0")),
            "plan.csv:2:36: 1SEND_B0 is there a second time (expected once)");
  EXPECT_EQ(refusal(replaced(lowered, "1SEND_B0", "1SEND_F0")),
            "plan.csv:2:27: 1SEND_F0: there is no stage on that side (stages are 0 to 1)");
  EXPECT_EQ(refusal("0F0,0SEND_F0,1F0,1B0,0B0\n"),
            "plan.csv:1:5: 0SEND_F0: stages 0 and 1 lie on one rank (expected nothing to be sent "
            "between them)");
  EXPECT_EQ(
      refusal("0F0,0F1,0SEND_F0,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
              "1RECV_F0,1RECV_F1,1F0,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n"),
      "plan.csv:1:9: 0SEND_F0 does not follow the action that makes it (expected right behind "
      "that: what an action makes is sent at its end)");
  EXPECT_EQ(
      refusal("0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
              "1RECV_F1,1RECV_F0,1F0,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n"),
      "plan.csv:1:5: 0SEND_F0 meets 1RECV_F1 of rank 1 (expected the same order of what passes "
      "between two ranks on both, without which they may wait for each other)");
}

contract::Schedule planned(const std::string& text, const costs::Profile& profile,
                           std::vector<std::int64_t> layers_of_stages) {
  const scheduler::Scheduler scheduler = scheduler::scheduler_of(
      parse_pytorch_schedule(text, "plan.csv"), std::move(layers_of_stages));
  contract::Schedule schedule = scheduler.plan(profile, test_machine(2), {}).schedule;
  check(schedule, profile);
  return schedule;
}

std::int64_t makespan(const contract::Schedule& schedule, std::int64_t transfer_cycles = 0) {
  return timetable(schedule, 1, [=](contract::TensorId) { return transfer_cycles; }).makespan;
}

TEST(PytorchSchedule, AWholeBackwardPassSendsAtItsEnd) {
  // By hand: F 0-10, F 10-30, then on the second processor B 30-120, or I 30-70 and W 70-120; the
  // first waits for B, or for I alone, and takes 30. A transfer of 7 delays what is on the way.
  const costs::Profile profile = test_profile({{10, 0, 30, 64, 8}, {20, 40, 50, 0, 8}});
  EXPECT_EQ(makespan(planned("0F0,0B0\n1F0,1B0", profile, {1, 1})), 150);
  EXPECT_EQ(makespan(planned("0F0,0I0,0W0\n1F0,1B0", profile, {1, 1})), 150);
  EXPECT_EQ(makespan(planned("0F0,0I0,0W0\n1F0,1I0,1W0", profile, {1, 1})), 120);
  EXPECT_EQ(makespan(planned("0F0,0B0\n1F0,1I0,1W0", profile, {1, 1})), 120);
  EXPECT_EQ(makespan(planned("0F0,0B0\n1F0,1B0", profile, {1, 1}), 7), 150 + 2 * 7);
}

TEST(PytorchSchedule, AStageMayMixBothWays) {
  // By hand, p1: F0 10-30, B0 30-120, F1 120-140, I1 140-180, W1 180-230. p0: F0 0-10, F1 10-20, B0
  // 120-150, I1 nothing, W1 180-210.
  const costs::Profile profile = test_profile({{10, 0, 30, 64, 8}, {20, 40, 50, 0, 8}});
  const contract::Schedule schedule =
      planned("0F0,0F1,0B0,0I1,0W1\n1F0,1B0,1F1,1I1,1W1", profile, {1, 1});
  const theory::Timetable table = timetable(schedule, 1, [](contract::TensorId) { return 0; });
  EXPECT_EQ(table.makespan, 230);
  std::vector<std::int64_t> ends_of_p0;
  for (const auto& entry : std::get<contract::StaticOrder>(schedule.orders[0]).entries) {
    ends_of_p0.push_back(table.ops[entry.op][0].end);
  }
  EXPECT_THAT(ends_of_p0, ElementsAre(10, 20, 150, 210));
  // The next minibatch waits for both updates.
  EXPECT_EQ(timetable(schedule, 2, [](contract::TensorId) { return 0; }).minibatch_ends[0], 230);
}

/// As many layers in each stage, stage s on processor s mod `processors`.
Pipeline pipeline_of(Program program, std::size_t stages, std::size_t layers_of_each,
                     std::size_t micro_batches) {
  Pipeline pipeline{.name = "test",
                    .stages = {},
                    .processors = program.size(),
                    .micro_batches = micro_batches,
                    .staleness = std::vector<std::int64_t>(stages, 0),
                    .program = std::move(program)};
  for (std::size_t s = 0; s < stages; ++s) {
    pipeline.stages.push_back(
        {s * layers_of_each, (s + 1) * layers_of_each - 1, s % pipeline.processors});
  }
  return pipeline;
}

placement::Allocation allocation_of(const Pipeline& pipeline) {
  placement::Allocation allocation;
  for (const Stage& stage : pipeline.stages) {
    for (std::size_t l = stage.first; l <= stage.last; ++l) {
      allocation.layers.push_back({stage.processor});
    }
  }
  return allocation;
}

// Both lowerings have whole backward passes; only the second one can have others beside them.
TEST(PytorchSchedule, WholePassesAmongSplitOnesAreAsThoseAlone) {
  const std::size_t processors = 3;
  const std::size_t micro_batches = 6;
  const std::vector<std::pair<Program, std::size_t>> programs{
      {gpipe({processors, micro_batches}), 3},
      {one_f_one_b({processors, micro_batches}), 3},
      {interleaved_one_f_one_b({processors, micro_batches, 2}), 6}};
  for (const auto& [program, stages] : programs) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const costs::Profile profile = random_profile(12, seed);
      const Pipeline pipeline = pipeline_of(program, stages, 12 / stages, micro_batches);
      const contract::Schedule alone = lower_whole(profile, pipeline);
      const contract::Schedule among = lower_split(profile, pipeline, allocation_of(pipeline));
      check(among, profile);
      ASSERT_EQ(alone.ops.size(), among.ops.size());
      ASSERT_EQ(alone.tensors.size(), among.tensors.size());
      const auto cycles = [](contract::TensorId) { return 100; };
      EXPECT_EQ(timetable(alone, 3, cycles).minibatch_ends,
                timetable(among, 3, cycles).minibatch_ends);
    }
  }
}

/// Rows of an order that no rank can hang in, with B, or I and W, at random, stages on any ranks.
Program random_program(const std::vector<costs::ProcessorId>& rank_of_stage,
                       std::size_t micro_batches, std::mt19937_64& random) {
  Program program(2);
  const auto add = [&](ActionKind kind, std::size_t stage, std::size_t micro_batch) {
    program[rank_of_stage[stage]].push_back({kind, stage, micro_batch});
  };
  const std::size_t stages = rank_of_stage.size();
  for (std::size_t j = 0; j < micro_batches; ++j) {
    for (std::size_t s = 0; s < stages; ++s) add(ActionKind::forward, s, j);
  }
  for (std::size_t j = 0; j < micro_batches; ++j) {
    for (std::size_t s = stages; s-- > 0;) {
      if (random() % 2 == 0) {
        add(ActionKind::backward, s, j);
      } else {
        add(ActionKind::input_gradient, s, j);
        add(ActionKind::weight_gradient, s, j);
      }
    }
  }
  return program;
}

TEST(PytorchSchedule, EachOperationOfAnyNetworkGetsAllThatItUses) {
  const std::size_t stages = 4;
  const std::size_t micro_batches = 2;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const costs::Profile profile = costs::profile(test_machine(2), random_graph(8, seed), {});
    std::vector<costs::ProcessorId> rank_of_stage;
    for (std::size_t s = 0; s < stages; ++s) rank_of_stage.push_back(random() % 2);
    Pipeline pipeline = pipeline_of(random_program(rank_of_stage, micro_batches, random), stages,
                                    profile.layers.size() / stages, micro_batches);
    pipeline.stages.back().last = profile.layers.size() - 1;
    for (std::size_t s = 0; s < stages; ++s) pipeline.stages[s].processor = rank_of_stage[s];
    const contract::Schedule schedule = lower_split(profile, pipeline, allocation_of(pipeline));
    EXPECT_NO_THROW(check(schedule, profile));
    EXPECT_GT(makespan(schedule, 10), 0);
  }
}

TEST(PytorchSchedule, NeedsAsManyProcessorsAndLayers) {
  const costs::Profile profile = test_profile({{10, 0, 30, 64, 8}, {20, 40, 50, 0, 8}});
  const auto plan = [&](const std::string& text, std::size_t processors,
                        std::optional<std::vector<std::int64_t>> stages) {
    static_cast<void>(
        scheduler::scheduler_of(parse_pytorch_schedule(text, "plan.csv"), std::move(stages))
            .plan(profile, test_machine(processors), {}));
  };
  EXPECT_THROW(plan("0F0,0B0\n1F0,1B0", 1, std::nullopt), InfeasibleError);
  EXPECT_THROW(plan("0F0,1F0,2F0,2B0,1B0,0B0", 1, std::nullopt), InfeasibleError);
  EXPECT_THROW(plan("0F0,0B0\n1F0,1B0", 2, {{2}}), UsageError);
  EXPECT_THROW(plan("0F0,0B0\n1F0,1B0", 2, {{2, 1}}), InfeasibleError);
  EXPECT_NO_THROW(plan("0F0,0B0\n1F0,1B0", 3, std::nullopt));
}

}  // namespace
}  // namespace layerpipe::tests
