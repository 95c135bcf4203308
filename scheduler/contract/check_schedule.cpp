#include "scheduler/contract/check_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "scheduler/contract/check_flow.hpp"
#include "scheduler/costs/split.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::contract {

namespace {

void require_op(const Schedule& schedule, OpId op, const std::string& who) {
  if (op < schedule.ops.size()) return;
  fail(schedule, fmt::format("{} names op {}, but there are {} ops", who, op, schedule.ops.size()));
}

void require_processor(const Schedule& schedule, costs::ProcessorId processor,
                       const std::string& who) {
  if (processor < schedule.orders.size()) return;
  fail(schedule, fmt::format("{} names processor {}, but there are orders for {} processors", who,
                             processor, schedule.orders.size()));
}

void require_not_negative(const Schedule& schedule, std::int64_t value, const std::string& what) {
  if (value < 0) fail(schedule, fmt::format("{} is {}, expected 0 or more", what, value));
}

void require_on(const Schedule& schedule, OpId op, costs::ProcessorId processor,
                const std::string& who) {
  if (schedule.ops[op].processor == processor) return;
  fail(schedule, fmt::format("{} expects {} on processor {}, but it is on processor {}", who,
                             describe(schedule, op), processor, schedule.ops[op].processor));
}

void check_ops(const Schedule& schedule) {
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    const std::string who = describe(schedule, op);
    require_processor(schedule, schedule.ops[op].processor, who);
    if (schedule.ops[op].parts.empty()) fail(schedule, who + " has no parts");
    const std::size_t micro_batch = schedule.ops[op].parts.front().micro_batch;
    if (micro_batch >= schedule.micro_batches) {
      fail(schedule, fmt::format("{} is of micro-batch {}, but there are {}", who, micro_batch,
                                 schedule.micro_batches));
    }
    for (const OpPart& part : schedule.ops[op].parts) {
      if (part.micro_batch != micro_batch) fail(schedule, who + " is of two micro-batches");
      require_not_negative(schedule, part.cycles, "cycles of " + who);
    }
  }
  if (schedule.updates.empty()) fail(schedule, "no updates, expected those that end a minibatch");
  for (const OpId op : schedule.updates) require_op(schedule, op, "the list of updates");
}

void check_orders(const Schedule& schedule) {
  std::vector<std::size_t> times_listed(schedule.ops.size(), 0);
  for (costs::ProcessorId processor = 0; processor < schedule.orders.size(); ++processor) {
    const std::string who = fmt::format("the order of processor {}", processor);
    const auto list = [&](OpId op) {
      require_op(schedule, op, who);
      require_on(schedule, op, processor, who);
      ++times_listed[op];
    };
    if (const auto* fixed = std::get_if<StaticOrder>(&schedule.orders[processor])) {
      for (const StaticOrder::Entry& entry : fixed->entries) {
        list(entry.op);
        require_not_negative(schedule, entry.lag, "a lag in " + who);
      }
    } else {
      const auto& priority = std::get<PriorityOrder>(schedule.orders[processor]);
      for (const PriorityOrder::Entry& entry : priority.entries) list(entry.op);
    }
  }
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    if (times_listed[op] == 1) continue;
    fail(schedule,
         fmt::format("{} stands {} times in the order of processor {}, expected once",
                     describe(schedule, op), times_listed[op], schedule.ops[op].processor));
  }
}

void check_part(const Schedule& schedule, TensorId whole, TensorId part) {
  if (part >= whole) {
    fail(schedule, fmt::format("tensor {} has part {}, expected a lower number", whole, part));
  }
  if (schedule.tensors[part].destination == schedule.tensors[whole].source) return;
  fail(schedule, fmt::format("part {} of tensor {} goes to processor {}, expected {}", part, whole,
                             schedule.tensors[part].destination, schedule.tensors[whole].source));
}

void check_tensors(const Schedule& schedule) {
  for (TensorId id = 0; id < schedule.tensors.size(); ++id) {
    const Tensor& tensor = schedule.tensors[id];
    const std::string who = fmt::format("tensor {}", id);
    require_processor(schedule, tensor.source, who);
    require_processor(schedule, tensor.destination, who);
    if ((tensor.source == tensor.destination) != (tensor.tensor_class == TensorClass::local)) {
      fail(schedule, fmt::format("{} goes from processor {} to {}, which does not fit its class",
                                 who, tensor.source, tensor.destination));
    }
    require_not_negative(schedule, tensor.bytes, "bytes of " + who);
    if (tensor.producers.empty() && tensor.parts.empty()) fail(schedule, who + " has no producers");
    for (const TensorId part : tensor.parts) check_part(schedule, id, part);
    for (const OpId op : tensor.producers) {
      require_op(schedule, op, who);
      require_on(schedule, op, tensor.source, who);
    }
  }
}

/// [tensor]: its first producer or, without one, that of its first part.
std::vector<OpId> first_origins(const Schedule& schedule) {
  std::vector<OpId> result;
  for (const Tensor& tensor : schedule.tensors) {
    result.push_back(tensor.producers.empty() ? result[tensor.parts.front()]
                                              : tensor.producers.front());
  }
  return result;
}

/// An edge with a tensor; its ops exist.
void check_tensor_edge(const Schedule& schedule, const Edge& edge, OpId first_origin,
                       const std::string& who) {
  const Tensor& tensor = schedule.tensors[edge.tensor];
  const bool is_origin =
      edge.from == first_origin || std::ranges::count(tensor.producers, edge.from) > 0;
  if (!is_origin) {
    fail(schedule, fmt::format("{} starts at {}, which is no origin of its tensor {}", who,
                               describe(schedule, edge.from), edge.tensor));
  }
  require_on(schedule, edge.to, tensor.destination, who);
}

void check_edges(const Schedule& schedule) {
  const std::vector<OpId> first_origin = first_origins(schedule);
  std::vector<bool> awaited(schedule.tensors.size(), false);
  for (const Tensor& tensor : schedule.tensors) {
    for (const TensorId part : tensor.parts) awaited[part] = true;
  }
  for (std::size_t i = 0; i < schedule.edges.size(); ++i) {
    const Edge& edge = schedule.edges[i];
    const std::string who = fmt::format("edge {}", i);
    require_op(schedule, edge.from, who);
    require_op(schedule, edge.to, who);
    require_not_negative(schedule, edge.tokens, "tokens of " + who);
    if (edge.tensor != Edge::no_tensor) {
      if (edge.tensor >= schedule.tensors.size()) {
        fail(schedule, fmt::format("{} names tensor {}, but there are {} tensors", who, edge.tensor,
                                   schedule.tensors.size()));
      }
      check_tensor_edge(schedule, edge, first_origin[edge.tensor], who);
      awaited[edge.tensor] = true;
    } else if (schedule.ops[edge.from].processor != schedule.ops[edge.to].processor) {
      fail(schedule, fmt::format("{} from {} to {} changes the processor without a tensor", who,
                                 describe(schedule, edge.from), describe(schedule, edge.to)));
    }
  }
  const auto idle = std::ranges::find(awaited, false);
  if (idle != awaited.end()) {
    fail(schedule, fmt::format("nothing waits for tensor {}", idle - awaited.begin()));
  }
}

/// What the parts of one operation of one layer add up to.
struct Whole {
  double fraction = 0.0;
  std::int64_t cycles = 0;
};

constexpr std::array all_kinds = {costs::OpKind::forward, costs::OpKind::input_gradient,
                                  costs::OpKind::weight_gradient};

/// By kind, then micro-batch x layers + layer.
using Wholes = std::array<std::vector<Whole>, all_kinds.size()>;

Wholes sum_of_parts(const Schedule& schedule, std::size_t layers) {
  Wholes wholes;
  wholes.fill(std::vector<Whole>(schedule.micro_batches * layers));
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    for (const OpPart& part : schedule.ops[op].parts) {
      if (part.layer >= layers) {
        fail(schedule, fmt::format("{} is of layer {}, but there are {} layers",
                                   describe(schedule, op), part.layer, layers));
      }
      if (!(part.fraction > 0.0)) {
        fail(schedule, fmt::format("a fraction of {} is {}, expected more than 0",
                                   describe(schedule, op), part.fraction));
      }
      Whole& whole =
          wholes.at(static_cast<std::size_t>(part.kind))[part.micro_batch * layers + part.layer];
      whole.fraction += part.fraction;
      whole.cycles += part.cycles;
    }
  }
  return wholes;
}

Whole expected(const costs::LayerProfile& layer, costs::OpKind kind) {
  switch (kind) {
    case costs::OpKind::forward:
      return {1.0, layer.forward_cycles};
    case costs::OpKind::weight_gradient:
      return {1.0, layer.weight_gradient_cycles};
    case costs::OpKind::input_gradient:
      break;
  }
  return {layer.has_input_gradient ? 1.0 : 0.0, layer.input_gradient_cycles};
}

/// A part of an input gradient is whole units, and costs what these take by themselves.
void check_part(const Schedule& schedule, const costs::LayerProfile& layer, const OpPart& part) {
  const costs::Split split = schedule.split;
  const std::int64_t all = split_units(layer, split);
  const std::int64_t units = units_of(layer, split, part.fraction);
  const double off = part.fraction * static_cast<double>(all) - static_cast<double>(units);
  const std::string who = fmt::format("a part of {} of {}", to_string(part.kind), layer.name);
  if (std::abs(off) > 1e-12 * static_cast<double>(all)) {
    fail(schedule, fmt::format("{} is {} of {} {}, expected a whole number of them", who,
                               part.fraction, all, unit_name(split)));
  }
  const std::int64_t due = part_cycles(layer, split, units);
  if (part.cycles != due) {
    fail(schedule, fmt::format("{} takes {} cycles, expected {} for {} of {} {}", who, part.cycles,
                               due, units, all, unit_name(split)));
  }
}

/// An ideal split has no rule but that cycles add up.
void check_parts(const Schedule& schedule, const costs::Profile& profile) {
  if (schedule.split == costs::Split::ideal) return;
  for (const Op& op : schedule.ops) {
    for (const OpPart& part : op.parts) {
      if (part.kind != costs::OpKind::input_gradient) continue;
      check_part(schedule, profile.layers[part.layer], part);
    }
  }
}

/// `place` is micro-batch x layers + layer.
void check_whole(const Schedule& schedule, const costs::LayerProfile& layer, costs::OpKind kind,
                 std::size_t place, const Whole& whole) {
  const Whole due = expected(layer, kind);
  std::string who = fmt::format("{} of {}", to_string(kind), layer.name);
  if (schedule.micro_batches > 1) {
    who += fmt::format(" in micro-batch {}", place / schedule.layer_names.size());
  }
  if (std::abs(whole.fraction - due.fraction) > 1e-9) {
    fail(schedule, fmt::format("fractions of {} add up to {}, expected {}", who, whole.fraction,
                               due.fraction));
  }
  const bool adds_up =
      kind != costs::OpKind::input_gradient || schedule.split == costs::Split::ideal;
  if (adds_up && whole.cycles != due.cycles) {
    fail(schedule,
         fmt::format("cycles of {} add up to {}, expected {}", who, whole.cycles, due.cycles));
  }
}

std::size_t micro_batch(const Schedule& schedule, OpId op) {
  return schedule.ops[op].parts.front().micro_batch;
}

/// All that makes a tensor, but weights, is of its micro-batch.
void check_micro_batch(const Schedule& schedule, TensorId id) {
  const Tensor& tensor = schedule.tensors[id];
  if (tensor.tensor_class == TensorClass::additional_weights) return;
  const auto require = [&](std::size_t other, const std::string& who) {
    if (other == tensor.micro_batch) return;
    fail(schedule, fmt::format("tensor {} of micro-batch {} is made of {} of micro-batch {}", id,
                               tensor.micro_batch, who, other));
  };
  for (const OpId op : tensor.producers) {
    require(micro_batch(schedule, op), describe(schedule, op));
  }
  for (const TensorId part : tensor.parts) {
    require(schedule.tensors[part].micro_batch, fmt::format("tensor {}", part));
  }
}

/// An operation takes weights as such, and else what is of its own micro-batch.
void check_micro_batches(const Schedule& schedule) {
  for (TensorId id = 0; id < schedule.tensors.size(); ++id) check_micro_batch(schedule, id);
  for (std::size_t i = 0; i < schedule.edges.size(); ++i) {
    const Edge& edge = schedule.edges[i];
    if (edge.tensor == Edge::no_tensor) continue;
    const Tensor& tensor = schedule.tensors[edge.tensor];
    const bool is_weights = tensor.tensor_class == TensorClass::additional_weights;
    if (is_weights != (edge.input == InputKind::weights)) {
      fail(schedule, fmt::format("edge {} takes tensor {} for what it is not", i, edge.tensor));
    }
    if (is_weights || tensor.micro_batch == micro_batch(schedule, edge.to)) continue;
    fail(schedule, fmt::format("{} of micro-batch {} waits for tensor {} of micro-batch {}",
                               describe(schedule, edge.to), micro_batch(schedule, edge.to),
                               edge.tensor, tensor.micro_batch));
  }
}

void check_layers(const Schedule& schedule, const costs::Profile& profile) {
  const std::size_t layers = profile.layers.size();
  if (schedule.layer_names.size() != layers) {
    fail(schedule, fmt::format("{} layer names, expected {}", schedule.layer_names.size(), layers));
  }
  const Wholes wholes = sum_of_parts(schedule, layers);
  for (const costs::OpKind kind : all_kinds) {
    const std::vector<Whole>& of_kind = wholes.at(static_cast<std::size_t>(kind));
    for (std::size_t i = 0; i < of_kind.size(); ++i) {
      check_whole(schedule, profile.layers[i % layers], kind, i, of_kind[i]);
    }
  }
}

}  // namespace

void check_graph(const Schedule& schedule) {
  check_ops(schedule);
  check_orders(schedule);
  check_tensors(schedule);
  check_edges(schedule);
}

void check(const Schedule& schedule, const costs::Profile& profile) {
  check_graph(schedule);
  check_layers(schedule, profile);
  check_micro_batches(schedule);
  check_flow(schedule, profile);
  check_parts(schedule, profile);
}

}  // namespace layerpipe::contract
