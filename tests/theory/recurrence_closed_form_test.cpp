#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/theory/recurrence.hpp"
#include "tests/theory/schedule_builder.hpp"

// Pipelines whose makespan or period has a closed form: REFERENCE R3. One transfer takes c cycles
// per boundary and direction.
namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace theory;
using Cycles = std::vector<std::int64_t>;

struct Stage {
  OpId forward = 0;
  OpId backward = 0;
};

/// The ops, tensors and edges within a minibatch: forward through the stages, backward in one
/// piece.
std::vector<Stage> add_stages(ScheduleBuilder& builder, const Cycles& forward,
                              const Cycles& backward, const Cycles& transfer) {
  std::vector<Stage> stages;
  for (std::size_t s = 0; s < forward.size(); ++s) {
    stages.push_back({builder.op(s, forward[s]), builder.op(s, backward[s])});
    builder.edge(stages[s].forward, stages[s].backward);
    builder.schedule().updates.push_back(stages[s].backward);
  }
  for (std::size_t s = 0; s + 1 < stages.size(); ++s) {
    builder.tensor({stages[s].forward}, stages[s + 1].forward, transfer[s]);
    builder.tensor({stages[s + 1].backward}, stages[s].backward, transfer[s]);
  }
  return stages;
}

/// p-1-s forwards, then forward and backward alternate; p - s weight versions.
Timetable run_1f1b(const Cycles& forward, const Cycles& backward, const Cycles& transfer,
                   std::int64_t minibatches) {
  const std::size_t p = forward.size();
  ScheduleBuilder builder(p);
  const std::vector<Stage> stages = add_stages(builder, forward, backward, transfer);
  for (std::size_t s = 0; s < p; ++s) {
    const auto behind = static_cast<std::int64_t>(p - 1 - s);
    builder.edge(stages[s].backward, stages[s].forward, behind + 1);
    builder.static_order(s, {{stages[s].forward, 0}, {stages[s].backward, behind}});
  }
  return timetable(builder.schedule(), minibatches, cycle_per_byte(builder.schedule()));
}

/// All forwards before the first backward.
Timetable run_gpipe(std::size_t p, std::int64_t forward, std::int64_t backward,
                    std::int64_t transfer, std::int64_t micro_batches) {
  ScheduleBuilder builder(p);
  const std::vector<Stage> stages =
      add_stages(builder, Cycles(p, forward), Cycles(p, backward), Cycles(p, transfer));
  for (std::size_t s = 0; s < p; ++s) {
    builder.static_order(s, {{stages[s].forward, 0}, {stages[s].backward, micro_batches - 1}});
  }
  return timetable(builder.schedule(), micro_batches, cycle_per_byte(builder.schedule()));
}

/// Backward before forward, then the oldest minibatch; 2(p-1-s)+1 weight versions.
Timetable run_retimed(std::size_t p, std::int64_t forward, std::int64_t backward,
                      std::int64_t transfer, std::int64_t minibatches) {
  ScheduleBuilder builder(p);
  const std::vector<Stage> stages =
      add_stages(builder, Cycles(p, forward), Cycles(p, backward), Cycles(p, transfer));
  for (std::size_t s = 0; s < p; ++s) {
    const auto behind = static_cast<std::int64_t>(p - 1 - s);
    builder.edge(stages[s].backward, stages[s].forward, 2 * behind + 1);
    builder.priority_order(s, {{stages[s].backward, 0}, {stages[s].forward, 1}});
  }
  return timetable(builder.schedule(), minibatches, cycle_per_byte(builder.schedule()));
}

/// The same with delta and G apart: delta before forward before G.
Timetable run_retimed_split(std::size_t p, std::int64_t forward, std::int64_t delta, std::int64_t g,
                            std::int64_t transfer, std::int64_t minibatches) {
  ScheduleBuilder builder(p);
  const std::vector<Stage> stages =
      add_stages(builder, Cycles(p, forward), Cycles(p, delta), Cycles(p, transfer));
  builder.schedule().updates.clear();
  std::vector<OpId> weight_gradients;
  for (std::size_t s = 0; s < p; ++s) {
    const OpId weight_gradient = builder.op(s, g);
    const auto versions = 2 * static_cast<std::int64_t>(p - 1 - s) + 1;
    builder.edge(stages[s].forward, weight_gradient);
    builder.edge(weight_gradient, stages[s].forward, versions);
    builder.edge(weight_gradient, stages[s].backward, versions);
    builder.priority_order(s,
                           {{stages[s].backward, 0}, {stages[s].forward, 1}, {weight_gradient, 2}});
    builder.schedule().updates.push_back(weight_gradient);
    weight_gradients.push_back(weight_gradient);
  }
  for (std::size_t s = 0; s + 1 < p; ++s) {
    builder.wait(2 * s + 1, weight_gradients[s]);
  }
  return timetable(builder.schedule(), minibatches, cycle_per_byte(builder.schedule()));
}

/// Expects that the last minibatches but a few end with a period: `cycles` for every `count` of
/// them.
void expect_period(const Timetable& table, std::size_t count, std::int64_t cycles) {
  const std::vector<std::int64_t>& ends = table.minibatch_ends;
  for (std::size_t m = ends.size() / 2; m + 3 * count < ends.size(); ++m) {
    EXPECT_EQ(ends[m + count] - ends[m], cycles) << "after minibatch " << m;
  }
}

// (m+p-1)(tf+tb) with tf = 1, tb = 2, for GPipe and 1F1B with flush alike; the latter is the
// asynchronous order cut off after m.
TEST(ClosedForm, MakespanOfSynchronousPipelines) {
  struct Case {
    std::size_t p;
    std::int64_t m;
    std::int64_t makespan;
  };
  for (const Case& c : {Case{4, 8, 33}, {4, 1, 12}, {4, 3, 18}, {1, 5, 15}, {3, 5, 21}}) {
    EXPECT_EQ(run_gpipe(c.p, 1, 2, 0, c.m).makespan, c.makespan) << c.p << " " << c.m;
    const Timetable table = run_1f1b(Cycles(c.p, 1), Cycles(c.p, 2), Cycles(c.p, 0), c.m);
    EXPECT_EQ(table.makespan, c.makespan) << c.p << " " << c.m;
  }
}

// R3: F = 1, B = 2, c = 0.5 at (4, 8): GPipe 36, 1F1B 41; here in half cycles.
TEST(ClosedForm, MakespanOfSynchronousPipelinesWithTransfers) {
  EXPECT_EQ(run_gpipe(4, 2, 4, 1, 8).makespan, 2 * 36);
  EXPECT_EQ(run_1f1b(Cycles(4, 2), Cycles(4, 4), Cycles(3, 1), 8).makespan, 2 * 41);
}

// T + 2c(p-1)/p: for p minibatches pT + 2c(p-1).
TEST(ClosedForm, PeriodOfAsynchronous1F1B) {
  for (const std::size_t p : {1U, 2U, 3U, 4U, 7U}) {
    for (const std::int64_t c : {0, 1, 50, 900, 5000}) {
      SCOPED_TRACE("p = " + std::to_string(p) + ", c = " + std::to_string(c));
      const Timetable table = run_1f1b(Cycles(p, 300), Cycles(p, 700), Cycles(p, c), 120);
      const auto stages = static_cast<std::int64_t>(p);
      expect_period(table, p, stages * 1000 + 2 * c * (stages - 1));
    }
  }
}

// The maximum over stage intervals of (sum T_i + 2 sum c_i) / (number of stages in it).
TEST(ClosedForm, PeriodOfUneven1F1B) {
  struct Case {
    Cycles forward, backward, transfer;
    std::size_t stages;   ///< in the interval that binds
    std::int64_t cycles;  ///< of it
  };
  const std::vector<Case> cases = {
      // Stages 2 and 3 with the slow boundary: (2000 + 2 * 900) / 2 = 1900; all three: 5000 / 3.
      {{300, 300, 300}, {700, 700, 700}, {100, 900}, 2, 3800},
      // c = 0: the slowest stage, 1500; it beats (1500 + 900) / 2.
      {{300, 500, 400}, {600, 1000, 500}, {0, 0}, 1, 1500},
      // The slowest stage, 1500, against (1500 + 900 + 2 * 200) / 2 = 1400 and
      // (900 + 1500 + 900 + 2 * 400) / 3 = 1367.
      {{300, 500, 400}, {600, 1000, 500}, {200, 200}, 1, 1500},
      // All: (900 + 1500 + 900 + 2 * 1600) / 3 against (2400 + 2 * 800) / 2 = 2000 and 1500.
      {{300, 500, 400}, {600, 1000, 500}, {800, 800}, 3, 6500},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE("expected " + std::to_string(c.cycles) + " / " + std::to_string(c.stages));
    expect_period(run_1f1b(c.forward, c.backward, c.transfer, 200), c.stages, c.cycles);
  }
}

// max(T, (pT + 2(p-1)c) / (2p-1)), for 2p-1 minibatches; and no period is shorter than c where a
// channel has one transfer of c per minibatch, which the formula leaves out: it matters for c > pT.
TEST(ClosedForm, PeriodOfRetimedPipeline) {
  for (const std::size_t p : {2U, 3U, 4U}) {
    for (const std::int64_t c : {0, 100, 500, 900, 1500, 5000}) {
      SCOPED_TRACE("p = " + std::to_string(p) + ", c = " + std::to_string(c));
      const auto stages = static_cast<std::int64_t>(p);
      const std::int64_t loop = 2 * stages - 1;
      const std::int64_t expected =
          std::max({loop * 1000, stages * 1000 + 2 * (stages - 1) * c, loop * c});
      const Timetable table = run_retimed(p, 300, 700, c, 200);
      expect_period(table, static_cast<std::size_t>(loop), expected);
    }
  }
}

// R3's example: T = 1000 in 300 + 400 + 300, c = 900, p = 3: period 1200, so 6000 for 5.
TEST(ClosedForm, PeriodOfRetimedPipelineWithGradientsApart) {
  expect_period(run_retimed_split(3, 300, 400, 300, 900, 200), 5, 6000);
}

}  // namespace
}  // namespace layerpipe::tests
