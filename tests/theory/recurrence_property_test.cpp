#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduler/theory/recurrence.hpp"
#include "tests/theory/random_schedule.hpp"

// What DESIGN section 7 and the contracts of Schedule demand of any timetable, checked on random
// schedules from the schedule and the dates alone. Together the properties leave one timetable.
namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace theory;

constexpr std::uint64_t seeds = 400;

struct Case {
  Schedule schedule;
  std::int64_t minibatches = 0;
  std::vector<std::int64_t> transfer_cycles;
  Timetable table;
};

TransferCycles look_up(const std::vector<std::int64_t>& cycles) {
  return [&cycles](TensorId id) { return cycles[id]; };
}

/// 1 to 12 minibatches; transfers of 0 to 2, 25 or 1000 cycles.
Case make_case(std::uint64_t seed, const RandomScheduleOptions& options = {}) {
  Case c;
  c.schedule = random_schedule(seed, options);
  c.minibatches = 1 + static_cast<std::int64_t>(seed % 12);
  const std::int64_t bytes_per_cycle = std::array{400, 40, 1}.at(seed % 3);
  for (const Tensor& tensor : c.schedule.tensors) {
    const bool is_local = tensor.tensor_class == TensorClass::local;
    c.transfer_cycles.push_back(is_local ? 0 : tensor.bytes / bytes_per_cycle);
  }
  c.table = timetable(c.schedule, c.minibatches, look_up(c.transfer_cycles));
  return c;
}

const Span& at(const std::vector<Span>& spans, std::int64_t minibatch) {
  return spans.at(static_cast<std::size_t>(minibatch));
}

TEST(TimetableProperty, EverythingIsExecutedOnceAndTakesItsTime) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = make_case(seed);
    ASSERT_EQ(c.table.ops.size(), c.schedule.ops.size());
    for (OpId op = 0; op < c.schedule.ops.size(); ++op) {
      ASSERT_EQ(c.table.ops[op].size(), static_cast<std::size_t>(c.minibatches));
      for (const Span& span : c.table.ops[op]) {
        ASSERT_EQ(span.end - span.start, cycles(c.schedule.ops[op]));
      }
    }
    ASSERT_EQ(c.table.transfers.size(), c.schedule.tensors.size());
    for (TensorId id = 0; id < c.schedule.tensors.size(); ++id) {
      for (const Span& span : c.table.transfers[id]) {
        ASSERT_EQ(span.end - span.start, c.transfer_cycles[id]);
      }
    }
  }
}

std::int64_t least_tokens(const Schedule& schedule, TensorId id) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Edge& edge : schedule.edges) {
    if (edge.tensor == id) least = std::min(least, edge.tokens);
  }
  for (TensorId whole = id + 1; whole < schedule.tensors.size(); ++whole) {
    const std::vector<TensorId>& parts = schedule.tensors[whole].parts;
    if (std::ranges::find(parts, id) == parts.end()) continue;
    least = std::min(least, least_tokens(schedule, whole));
  }
  return least;
}

TEST(TimetableProperty, WhatIsSentHasAUser) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Case c = make_case(seed);
    for (TensorId id = 0; id < c.schedule.tensors.size(); ++id) {
      const std::int64_t used = c.minibatches - least_tokens(c.schedule, id);
      ASSERT_EQ(c.table.transfers[id].size(), static_cast<std::size_t>(std::max(used, {})))
          << "seed " << seed << ", tensor " << id;
    }
  }
}

TEST(TimetableProperty, ReadyIsTheLastOfWhatItWaitsFor) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = make_case(seed);
    std::map<std::pair<OpId, std::int64_t>, std::int64_t> ready;
    for (const Edge& edge : c.schedule.edges) {
      for (std::int64_t m = edge.tokens; m < c.minibatches; ++m) {
        std::int64_t& date = ready[{edge.to, m}];
        date = std::max(date, at(c.table.ops[edge.from], m - edge.tokens).end);
        if (edge.tensor == Edge::no_tensor) continue;
        date = std::max(date, at(c.table.transfers[edge.tensor], m - edge.tokens).end);
      }
    }
    for (OpId op = 0; op < c.schedule.ops.size(); ++op) {
      for (std::int64_t m = 0; m < c.minibatches; ++m) {
        const Span& span = at(c.table.ops[op], m);
        ASSERT_EQ(span.ready, (ready[{op, m}])) << "op " << op << ", minibatch " << m;
        ASSERT_GE(span.start, span.ready);
      }
    }
    for (TensorId id = 0; id < c.schedule.tensors.size(); ++id) {
      for (std::size_t k = 0; k < c.table.transfers[id].size(); ++k) {
        std::int64_t date = 0;
        for (const OpId op : c.schedule.tensors[id].producers) {
          date = std::max(date, c.table.ops[op][k].end);
        }
        for (const TensorId part : c.schedule.tensors[id].parts) {
          date = std::max(date, c.table.transfers[part][k].end);
        }
        ASSERT_EQ(c.table.transfers[id][k].ready, date) << "tensor " << id << ", minibatch " << k;
        ASSERT_GE(c.table.transfers[id][k].start, date);
      }
    }
  }
}

/// On a processor or channel; of two that are ready the lower rank is executed.
struct Job {
  Span span;
  std::array<std::int64_t, 5> rank;
};

void expect_no_overlap(std::vector<Job> jobs) {
  std::ranges::sort(jobs, {},
                    [](const Job& job) { return std::pair(job.span.start, job.span.end); });
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    ASSERT_LE(jobs[i - 1].span.end, jobs[i].span.start);
  }
}

/// Cycles within [from, to) in which something is executed.
std::int64_t busy_cycles(const std::vector<Job>& jobs, std::int64_t from, std::int64_t to) {
  std::int64_t sum = 0;
  for (const Job& job : jobs) {
    const std::int64_t overlap = std::min(to, job.span.end) - std::max(from, job.span.start);
    sum += std::max<std::int64_t>(0, overlap);
  }
  return sum;
}

/// Who waits, waits for others that are executed without a gap; what takes no time goes at the
/// first date at which nothing is in the middle of its execution; else the rank decides.
void expect_picked_by_rank(const std::vector<Job>& jobs) {
  expect_no_overlap(jobs);
  for (const Job& job : jobs) {
    const Span& span = job.span;
    ASSERT_EQ(busy_cycles(jobs, span.ready, span.start), span.start - span.ready);
    for (const Job& other : jobs) {
      if (other.span.start == other.span.end) continue;
      if (span.start == span.end) {
        const bool could_go_before =
            span.ready <= other.span.start && other.span.start < span.start;
        ASSERT_FALSE(could_go_before);
      } else if (other.span.ready <= span.start && span.start < other.span.start) {
        ASSERT_LT(job.rank, other.rank);
      }
    }
  }
}

TEST(TimetableProperty, PriorityOrdersPickTheMostUrgent) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = make_case(seed);
    for (const Order& order : c.schedule.orders) {
      const auto* priority = std::get_if<PriorityOrder>(&order);
      if (priority == nullptr) continue;
      std::vector<Job> jobs;
      for (std::size_t i = 0; i < priority->entries.size(); ++i) {
        const PriorityOrder::Entry& entry = priority->entries[i];
        for (std::int64_t m = 0; m < c.minibatches; ++m) {
          jobs.push_back({at(c.table.ops[entry.op], m),
                          {entry.urgency, m, static_cast<std::int64_t>(i), 0, 0}});
        }
      }
      expect_picked_by_rank(jobs);
    }
  }
}

TEST(TimetableProperty, ChannelsPickTheMostUrgent) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = make_case(seed);
    std::map<std::pair<ProcessorId, ProcessorId>, std::vector<Job>> channels;
    for (TensorId id = 0; id < c.schedule.tensors.size(); ++id) {
      const Tensor& tensor = c.schedule.tensors[id];
      if (tensor.tensor_class == TensorClass::local) {
        for (const Span& span : c.table.transfers[id]) ASSERT_EQ(span.end, span.ready);
        continue;
      }
      const std::int64_t tokens = least_tokens(c.schedule, id);
      const std::int64_t additional = tensor.tensor_class == TensorClass::mandatory ? 0 : 1;
      for (std::size_t k = 0; k < c.table.transfers[id].size(); ++k) {
        const Span& span = c.table.transfers[id][k];
        channels[{tensor.source, tensor.destination}].push_back(
            {span,
             {static_cast<std::int64_t>(k) + tokens, additional, span.ready,
              -static_cast<std::int64_t>(tensor.layer), static_cast<std::int64_t>(id)}});
      }
    }
    for (const auto& [pair, jobs] : channels) expect_picked_by_rank(jobs);
  }
}

// The whole of a static order: an entry starts when it is ready and the entry before has ended.
TEST(TimetableProperty, StaticOrdersAreFollowedWithoutDelay) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = make_case(seed);
    for (const Order& order : c.schedule.orders) {
      const auto* fixed = std::get_if<StaticOrder>(&order);
      if (fixed == nullptr) continue;
      std::int64_t idle_from = 0;
      for (std::int64_t round = 0; round < c.minibatches + 3; ++round) {  // lags are at most 3
        for (const StaticOrder::Entry& entry : fixed->entries) {
          const std::int64_t m = round - entry.lag;
          if (m < 0 || m >= c.minibatches) continue;
          const Span& span = at(c.table.ops[entry.op], m);
          ASSERT_EQ(span.start, std::max(span.ready, idle_from));
          idle_from = span.end;
        }
      }
    }
  }
}

TEST(TimetableProperty, MinibatchesAndMakespanEndWithTheirLastOperation) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Case c = make_case(seed);
    for (std::int64_t m = 0; m < c.minibatches; ++m) {
      std::int64_t last = 0;
      for (const OpId op : c.schedule.updates) last = std::max(last, at(c.table.ops[op], m).end);
      ASSERT_EQ(c.table.minibatch_ends.at(static_cast<std::size_t>(m)), last) << "seed " << seed;
    }
    std::int64_t makespan = 0;
    for (const std::vector<Span>& op : c.table.ops) makespan = std::max(makespan, op.back().end);
    ASSERT_EQ(c.table.makespan, makespan) << "seed " << seed;
  }
}

void expect_not_earlier(const std::vector<std::vector<Span>>& slow,
                        const std::vector<std::vector<Span>>& fast) {
  for (std::size_t i = 0; i < slow.size(); ++i) {
    for (std::size_t m = 0; m < slow[i].size(); ++m) {
      ASSERT_GE(slow[i][m].start, fast[i][m].start) << i << ", minibatch " << m;
      ASSERT_GE(slow[i][m].end, fast[i][m].end) << i << ", minibatch " << m;
    }
  }
}

// Where all orders are static and no channel has a choice, every date is a maximum of sums of
// durations. With a second tensor on a channel this is false: a tensor that comes later may find
// another one ahead, and let a third pass.
TEST(TimetableProperty, SlowerTransfersMakeNothingEarlierWhereNothingIsChosen) {
  const RandomScheduleOptions options = {.only_static_orders = true,
                                         .one_tensor_per_channel = true};
  std::size_t later = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case fast = make_case(seed, options);
    if (fast.schedule.tensors.empty()) continue;
    std::vector<std::int64_t> slower = fast.transfer_cycles;
    const TensorId slowed = seed % slower.size();
    if (fast.schedule.tensors[slowed].tensor_class == TensorClass::local) continue;
    slower[slowed] += 1 + static_cast<std::int64_t>(seed % 50);
    const Timetable slow = timetable(fast.schedule, fast.minibatches, look_up(slower));
    expect_not_earlier(slow.ops, fast.table.ops);
    expect_not_earlier(slow.transfers, fast.table.transfers);
    if (slow.makespan > fast.table.makespan) ++later;
  }
  EXPECT_GT(later, seeds / 10);
}

}  // namespace
}  // namespace layerpipe::tests
