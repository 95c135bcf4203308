#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/test_machine.hpp"

// What has to hold on any graph, checked from the network's own layers, weightless ones included,
// and not from the profile that schedules are made of.
namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace scheduler;
using namespace theory;
using network::Layer;
using network::Network;

constexpr std::uint64_t seeds = 500;
constexpr std::int64_t minibatches = 4;
constexpr std::size_t nowhere = Layer::network_input;  ///< comes from the network's input alone

/// A network on processors, as a schedule has placed its weighted layers.
struct Placed {
  Network network;
  Schedule schedule;
  Timetable table;
  std::vector<std::size_t> group;      ///< [place]: of the weighted layer, by DESIGN's rule
  std::vector<ProcessorId> processor;  ///< [place]
  std::vector<std::vector<std::size_t>> users;  ///< [place]
};

std::size_t group_of(const Placed& placed, std::size_t place) {
  return place == Layer::network_input ? nowhere : placed.group[place];
}

std::vector<ProcessorId> processors_of_weighted(const Schedule& schedule) {
  std::vector<ProcessorId> result(schedule.layer_names.size());
  for (const Op& op : schedule.ops) {
    for (const OpPart& part : op.parts) {
      if (part.kind == OpKind::forward) result[part.layer] = op.processor;
    }
  }
  return result;
}

Placed place(std::uint64_t seed, const char* scheduler) {
  Placed placed;
  placed.network = random_graph(1 + seed % 12, seed);
  const machine::Machine machine = test_machine(1 + seed % 11, 16.0, 3.0);
  const Profile profile = costs::profile(machine, placed.network);
  placed.schedule = find_scheduler(scheduler).plan(profile, machine, {}).schedule;
  check(placed.schedule, profile);
  placed.table = timetable(placed.schedule, minibatches,
                           [&](TensorId id) { return 3 + placed.schedule.tensors[id].bytes / 16; });
  const std::vector<ProcessorId> of_weighted = processors_of_weighted(placed.schedule);
  std::size_t weighted = 0;
  placed.users.resize(placed.network.layers.size());
  for (std::size_t i = 0; i < placed.network.layers.size(); ++i) {
    const Layer& layer = placed.network.layers[i];
    std::size_t group = nowhere;
    for (const std::size_t input : layer.inputs) {
      const std::size_t other = group_of(placed, input);
      if (other != nowhere) group = group == nowhere ? other : std::max(group, other);
      if (input != Layer::network_input) placed.users[input].push_back(i);
    }
    if (has_gemm(layer)) group = weighted++;
    placed.group.push_back(group);
    placed.processor.push_back(group == nowhere ? 0 : of_weighted[group]);
  }
  return placed;
}

std::int64_t sent_bytes(const Schedule& schedule, InputKind kind, TensorClass tensor_class) {
  std::vector<bool> is_of_kind(schedule.tensors.size(), false);
  for (const Edge& edge : schedule.edges) {
    if (edge.tensor != Edge::no_tensor && edge.input == kind) is_of_kind[edge.tensor] = true;
  }
  for (TensorId id = schedule.tensors.size(); id-- > 0;) {
    for (const TensorId part : schedule.tensors[id].parts) {
      is_of_kind[part] = is_of_kind[part] || is_of_kind[id];
    }
  }
  std::int64_t sum = 0;
  for (TensorId id = 0; id < schedule.tensors.size(); ++id) {
    const Tensor& tensor = schedule.tensors[id];
    if (is_of_kind[id] && tensor.tensor_class == tensor_class) sum += tensor.bytes;
  }
  return sum;
}

/// Every layer's output, once for each other processor with a user.
std::int64_t expected_activations(const Placed& placed) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < placed.users.size(); ++i) {
    if (placed.group[i] == nowhere) continue;
    std::set<ProcessorId> destinations;
    for (const std::size_t user : placed.users[i]) destinations.insert(placed.processor[user]);
    destinations.erase(placed.processor[i]);
    sum += static_cast<std::int64_t>(destinations.size()) *
           activation_bytes(placed.network, placed.network.layers[i]);
  }
  return sum;
}

/// One from each other processor with a user to that of the user in the first group, and one from
/// there on.
std::int64_t expected_gradients(const Placed& placed) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < placed.users.size(); ++i) {
    if (placed.group[i] == nowhere || placed.users[i].empty()) continue;
    const std::int64_t bytes = gradient_bytes(placed.network, placed.network.layers[i]);
    const std::size_t first = *std::min_element(
        placed.users[i].begin(), placed.users[i].end(),
        [&](std::size_t a, std::size_t b) { return placed.group[a] < placed.group[b]; });
    const ProcessorId summing = placed.processor[first];
    std::set<ProcessorId> sources;
    for (const std::size_t user : placed.users[i]) sources.insert(placed.processor[user]);
    sources.erase(summing);
    sum += static_cast<std::int64_t>(sources.size()) * bytes;
    if (summing != placed.processor[i]) sum += bytes;
  }
  return sum;
}

TEST(GraphConservation, WholeLayersSendEveryTensorOnce) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Placed placed = place(seed, "pipedream");
    const Schedule& schedule = placed.schedule;
    EXPECT_EQ(sent_bytes(schedule, InputKind::activation, TensorClass::mandatory),
              expected_activations(placed));
    EXPECT_EQ(sent_bytes(schedule, InputKind::gradient, TensorClass::mandatory),
              expected_gradients(placed));
    for (const Tensor& tensor : schedule.tensors) {
      EXPECT_EQ(tensor.tensor_class, TensorClass::mandatory);
    }
  }
}

std::vector<TensorClass> classes(const Schedule& schedule) {
  std::vector<TensorClass> result;
  for (const Tensor& tensor : schedule.tensors) result.push_back(tensor.tensor_class);
  return result;
}

/// Values of no bytes are sent like all others.
TEST(GraphConservation, ClassesDoNotDependOnBytes) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const machine::Machine machine = test_machine(1 + seed % 11);
    Profile profile = costs::profile(machine, random_graph(1 + seed % 12, seed));
    const Scheduler& scheduler = find_scheduler("layerpipe-optimal");
    const Schedule sized = scheduler.plan(profile, machine, {}).schedule;
    for (Value& value : profile.values) value.gradient_bytes = 0;
    EXPECT_EQ(classes(scheduler.plan(profile, machine, {}).schedule), classes(sized));
  }
}

/// Lending moves more, and of the mandatory gradients no more than whole layers do.
TEST(GraphConservation, LentPartsReplaceWhatTheirLayersWouldSend) {
  std::size_t lending = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Placed placed = place(seed, "layerpipe-optimal");
    const Schedule& schedule = placed.schedule;
    EXPECT_EQ(sent_bytes(schedule, InputKind::activation, TensorClass::mandatory),
              expected_activations(placed));
    EXPECT_LE(sent_bytes(schedule, InputKind::gradient, TensorClass::mandatory),
              expected_gradients(placed));
    if (sent_bytes(schedule, InputKind::weights, TensorClass::additional_weights) > 0) ++lending;
  }
  EXPECT_GT(lending, seeds / 10);
}

/// Ends of all operations of one kind of a weighted layer.
std::int64_t last_end(const Placed& placed, OpKind kind, std::size_t weighted, std::size_t m) {
  std::int64_t last = -1;
  for (OpId op = 0; op < placed.schedule.ops.size(); ++op) {
    for (const OpPart& part : placed.schedule.ops[op].parts) {
      if (part.kind == kind && part.layer == weighted) {
        last = std::max(last, placed.table.ops[op][m].end);
      }
    }
  }
  return last;
}

/// [place]: date before which the gradient at a layer's output cannot be complete.
std::vector<std::int64_t> gradient_dates(const Placed& placed, std::size_t m) {
  std::vector<std::int64_t> dates(placed.users.size(), 0);
  for (std::size_t i = dates.size(); i-- > 0;) {
    if (placed.users[i].empty() && placed.group[i] != nowhere) {
      dates[i] = last_end(placed, OpKind::forward, placed.group[i], m);
    }
    for (const std::size_t user : placed.users[i]) {
      const bool weighted = has_gemm(placed.network.layers[user]);
      const std::int64_t part =
          weighted ? last_end(placed, OpKind::input_gradient, placed.group[user], m) : dates[user];
      dates[i] = std::max(dates[i], part);
    }
  }
  return dates;
}

/// The operation, and in a whole backward pass its parts, of one layer.
bool is_backward_of(const Op& op, std::size_t weighted) {
  return op.parts.size() == 1 && op.parts.front().layer == weighted &&
         op.parts.front().kind != OpKind::forward;
}

void expect_everything_is_there(const Placed& placed, std::size_t m) {
  const std::vector<std::int64_t> gradient = gradient_dates(placed, m);
  for (std::size_t i = 0; i < placed.users.size(); ++i) {
    if (placed.group[i] == nowhere) continue;
    for (OpId op = 0; op < placed.schedule.ops.size(); ++op) {
      const std::int64_t start = placed.table.ops[op][m].start;
      if (is_backward_of(placed.schedule.ops[op], placed.group[i])) {
        EXPECT_GE(start, gradient[i]) << describe(placed.schedule, op);
      }
      for (const std::size_t input : placed.network.layers[i].inputs) {
        const OpPart& part = placed.schedule.ops[op].parts.front();
        const std::size_t from = group_of(placed, input);
        if (from == nowhere || from == placed.group[i]) continue;
        if (part.kind == OpKind::forward && part.layer == placed.group[i]) {
          EXPECT_GE(start, last_end(placed, OpKind::forward, from, m));
        }
      }
    }
  }
}

/// No backward operation before all parts of the gradient at each output of its group, no forward
/// pass before all that its group takes.
TEST(GraphConservation, NothingStartsBeforeAllThatItNeeds) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const char* scheduler : {"layerpipe", "layerpipe-strict", "layerpipe-optimal"}) {
      const Placed placed = place(seed, scheduler);
      for (std::size_t m = 0; m < minibatches; ++m) expect_everything_is_there(placed, m);
    }
  }
}

}  // namespace
}  // namespace layerpipe::tests
