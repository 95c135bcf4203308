#include "tests/theory/random_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/contract/check_schedule.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;

TEST(RandomSchedule, KeepsThePromisesOfASchedule) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Schedule schedule = random_schedule(seed);
    EXPECT_NO_THROW(check_graph(schedule)) << "seed " << seed;
  }
}

/// A number that changes with every choice but the names.
std::uint64_t fingerprint(const Schedule& schedule) {
  std::uint64_t sum = schedule.orders.size();
  const auto add = [&sum](auto... values) {
    ((sum = sum * 31 + static_cast<std::uint64_t>(values)), ...);
  };
  for (const Op& op : schedule.ops) {
    add(op.processor);
    for (const OpPart& part : op.parts) add(part.kind, part.layer, 4 * part.fraction, part.cycles);
  }
  for (const Tensor& tensor : schedule.tensors) {
    add(tensor.source, tensor.destination, tensor.bytes, tensor.tensor_class, tensor.layer);
    for (const OpId op : tensor.producers) add(op);
    for (const TensorId part : tensor.parts) add(part);
  }
  for (const Edge& edge : schedule.edges) {
    add(edge.from, edge.to, edge.tokens, edge.input, edge.tensor);
  }
  for (const Order& order : schedule.orders) {
    if (const auto* fixed = std::get_if<StaticOrder>(&order)) {
      for (const StaticOrder::Entry& entry : fixed->entries) add(entry.op, entry.lag);
    } else {
      const auto& priority = std::get<PriorityOrder>(order);
      for (const PriorityOrder::Entry& entry : priority.entries) add(entry.op, entry.urgency);
    }
  }
  for (const OpId op : schedule.updates) add(op);
  return sum;
}

// Recorded from this generator: another compiler or library must make the same schedules, so that a
// seed in a report means the same everywhere.
TEST(RandomSchedule, IsTheSameEverywhere) {
  EXPECT_EQ(fingerprint(random_schedule(1)), 13561285777908655691U);
  EXPECT_EQ(fingerprint(random_schedule(2)), 1364106470134614266U);
}

TEST(RandomSchedule, CoversWhatMakesSchedulesDifficult) {
  std::set<std::int64_t> tokens;
  std::set<std::int64_t> lags;
  bool op_without_time = false;
  bool empty_tensor = false;
  bool several_producers = false;
  bool several_users = false;
  bool parts_of_several = false;
  bool passed_on = false;
  bool part_of_a_part = false;
  bool local = false;
  bool priority_order = false;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Schedule schedule = random_schedule(seed);
    std::vector<int> users(schedule.tensors.size(), 0);
    for (const Edge& edge : schedule.edges) {
      tokens.insert(edge.tokens);
      if (edge.tensor != Edge::no_tensor && ++users[edge.tensor] > 1) several_users = true;
    }
    for (const Op& op : schedule.ops) op_without_time |= cycles(op) == 0;
    for (const Tensor& tensor : schedule.tensors) {
      empty_tensor |= tensor.bytes == 0;
      several_producers |= tensor.producers.size() > 1;
      parts_of_several |= tensor.parts.size() > 1;
      passed_on |= tensor.producers.empty();
      local |= tensor.tensor_class == TensorClass::local;
      for (const TensorId part : tensor.parts) {
        part_of_a_part |= !schedule.tensors[part].parts.empty();
      }
    }
    for (const Order& order : schedule.orders) {
      priority_order |= std::holds_alternative<PriorityOrder>(order);
      if (const auto* fixed = std::get_if<StaticOrder>(&order)) {
        for (const StaticOrder::Entry& entry : fixed->entries) lags.insert(entry.lag);
      }
    }
  }
  EXPECT_EQ(tokens, (std::set<std::int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(lags, (std::set<std::int64_t>{0, 1, 2, 3}));
  EXPECT_TRUE(op_without_time && empty_tensor && several_producers && several_users);
  EXPECT_TRUE(priority_order);
  EXPECT_TRUE(parts_of_several && passed_on && part_of_a_part && local);
}

TEST(RandomSchedule, ObeysItsOptions) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Schedule schedule =
        random_schedule(seed, {.only_static_orders = true, .one_tensor_per_channel = true});
    std::set<std::pair<ProcessorId, ProcessorId>> channels;
    for (const Tensor& tensor : schedule.tensors) {
      if (tensor.tensor_class == TensorClass::local) continue;
      EXPECT_TRUE(channels.emplace(tensor.source, tensor.destination).second) << "seed " << seed;
    }
    for (const Order& order : schedule.orders) {
      EXPECT_TRUE(std::holds_alternative<StaticOrder>(order)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace layerpipe::tests
