#include "scheduler/theory/recurrence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "scheduler/theory/task_graph.hpp"
#include "workloads/base/error.hpp"

// An instance is ready when the instances before it in the marked graph have ended. A resource with
// a program executes it in order; any other executes the ready instance of the lowest rank. A rank
// begins with whether the task takes time, so that what takes none is found first.
namespace layerpipe::theory {

namespace {

using Rank = std::array<std::int64_t, 6>;

struct Resource {
  std::size_t executed = 0;         ///< of its program
  std::map<Rank, Instance> ready;   ///< if it has no program
  std::optional<Instance> running;  ///< takes time
  std::int64_t running_until = 0;
};

std::size_t index(std::int64_t minibatch) { return static_cast<std::size_t>(minibatch); }

class ListScheduler {
 public:
  ListScheduler(const contract::Schedule& schedule, std::int64_t minibatches,
                const TransferCycles& transfer_cycles, SharedNetwork* network);

  Timetable run();

 private:
  Rank rank(const Instance& instance) const;
  std::optional<Instance> next(std::size_t resource) const;
  Span& span(const Instance& instance) { return spans_[instance.task][index(instance.minibatch)]; }

  void announce(const Instance& instance);
  void start(std::size_t resource, const Instance& instance);
  void end(const Instance& instance);

  void announce_what_waits_for_nothing();
  void take_arrivals();
  void end_what_is_due();
  void execute_what_takes_no_time();
  void start_what_takes_time();
  bool advance_date();

  void require_complete() const;
  std::string waiting(costs::ProcessorId processor) const;
  std::string cause(const Instance& waiting) const;
  Timetable result();

  const contract::Schedule& schedule_;
  const TaskGraph graph_;
  SharedNetwork* const network_;  ///< none: each channel has links of its own
  std::vector<std::vector<std::int64_t>> missing_inputs_;  ///< [task][minibatch]
  std::vector<std::vector<Span>> spans_;                   ///< [task][minibatch]
  std::vector<Resource> resources_;
  std::int64_t now_ = 0;
};

ListScheduler::ListScheduler(const contract::Schedule& schedule, std::int64_t minibatches,
                             const TransferCycles& transfer_cycles, SharedNetwork* network)
    : schedule_(schedule),
      graph_(task_graph(schedule, minibatches, transfer_cycles)),
      network_(network),
      resources_(graph_.programs.size()) {
  for (const Task& task : graph_.tasks) {
    missing_inputs_.emplace_back(index(task.instances), 0);
    spans_.emplace_back(index(task.instances));
  }
  for (const Task& task : graph_.tasks) {
    for (const Successor& successor : task.successors) {
      const std::int64_t instances = graph_.tasks[successor.task].instances;
      for (std::int64_t minibatch = successor.tokens; minibatch < instances; ++minibatch) {
        ++missing_inputs_[successor.task][index(minibatch)];
      }
    }
  }
}

Rank ListScheduler::rank(const Instance& instance) const {
  const Task& task = graph_.tasks[instance.task];
  const std::int64_t takes_time = task.cycles > 0 ? 1 : 0;
  if (instance.task < graph_.ops) {
    return {takes_time, task.urgency, instance.minibatch, static_cast<std::int64_t>(task.position)};
  }
  const contract::TensorId id = instance.task - graph_.ops;
  const contract::Tensor& tensor = schedule_.tensors[id];
  return {takes_time,
          instance.minibatch + task.tokens_to_user,
          tensor.tensor_class == contract::TensorClass::mandatory ? 0 : 1,
          spans_[instance.task][index(instance.minibatch)].ready,
          -static_cast<std::int64_t>(tensor.layer),
          static_cast<std::int64_t>(id)};
}

/// What an idle resource is to execute now.
std::optional<Instance> ListScheduler::next(std::size_t resource) const {
  const Resource& state = resources_[resource];
  if (const auto& program = graph_.programs[resource]) {
    if (state.executed == program->size()) return std::nullopt;
    const Instance& instance = (*program)[state.executed];
    const bool ready = missing_inputs_[instance.task][index(instance.minibatch)] == 0;
    return ready ? std::optional(instance) : std::nullopt;
  }
  if (state.ready.empty()) return std::nullopt;
  return state.ready.begin()->second;
}

void ListScheduler::announce(const Instance& instance) {
  span(instance).ready = now_;
  const std::size_t resource = graph_.tasks[instance.task].resource;
  if (!graph_.programs[resource]) resources_[resource].ready.emplace(rank(instance), instance);
}

void ListScheduler::start(std::size_t resource, const Instance& instance) {
  const std::int64_t duration = graph_.tasks[instance.task].cycles;
  if (duration > std::numeric_limits<std::int64_t>::max() - now_) {
    throw InfeasibleError(fmt::format("schedule '{}': dates exceed 2^63 cycles", schedule_.name));
  }
  Resource& state = resources_[resource];
  if (graph_.programs[resource]) {
    ++state.executed;
  } else {
    state.ready.erase(rank(instance));
  }
  span(instance).start = now_;
  if (duration == 0) return end(instance);
  state.running = instance;
  state.running_until = now_ + duration;
  if (network_ != nullptr && instance.task >= graph_.ops) {
    state.running_until = std::numeric_limits<std::int64_t>::max();
    network_->start(instance.task - graph_.ops, now_);
  }
}

void ListScheduler::end(const Instance& instance) {
  span(instance).end = now_;
  for (const Successor& successor : graph_.tasks[instance.task].successors) {
    const std::int64_t instances = graph_.tasks[successor.task].instances;
    if (successor.tokens >= instances - instance.minibatch) continue;
    const Instance waiting = {successor.task, instance.minibatch + successor.tokens};
    if (--missing_inputs_[waiting.task][index(waiting.minibatch)] == 0) announce(waiting);
  }
}

void ListScheduler::announce_what_waits_for_nothing() {
  for (TaskId task = 0; task < graph_.tasks.size(); ++task) {
    for (std::int64_t minibatch = 0; minibatch < graph_.tasks[task].instances; ++minibatch) {
      if (missing_inputs_[task][index(minibatch)] == 0) announce({task, minibatch});
    }
  }
}

void ListScheduler::take_arrivals() {
  if (network_ == nullptr) return;
  for (const contract::TensorId tensor : network_->take_arrivals(now_)) {
    resources_[graph_.tasks[graph_.ops + tensor].resource].running_until = now_;
  }
}

void ListScheduler::end_what_is_due() {
  for (Resource& resource : resources_) {
    if (!resource.running || resource.running_until != now_) continue;
    const Instance instance = *resource.running;
    resource.running.reset();
    end(instance);
  }
}

void ListScheduler::execute_what_takes_no_time() {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t resource = 0; resource < resources_.size(); ++resource) {
      if (resources_[resource].running) continue;
      for (auto instance = next(resource); instance && graph_.tasks[instance->task].cycles == 0;
           instance = next(resource)) {
        start(resource, *instance);
        changed = true;
      }
    }
  }
}

void ListScheduler::start_what_takes_time() {
  for (std::size_t resource = 0; resource < resources_.size(); ++resource) {
    if (resources_[resource].running) continue;
    if (const auto instance = next(resource)) start(resource, *instance);
  }
}

/// False if nothing is running.
bool ListScheduler::advance_date() {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::int64_t earliest = never;
  for (const Resource& resource : resources_) {
    if (resource.running) earliest = std::min(earliest, resource.running_until);
  }
  if (network_ != nullptr) earliest = std::min(earliest, network_->next_arrival().value_or(never));
  if (earliest == never) return false;
  now_ = earliest;
  return true;
}

Timetable ListScheduler::run() {
  announce_what_waits_for_nothing();
  do {
    take_arrivals();
    end_what_is_due();
    execute_what_takes_no_time();
    start_what_takes_time();
  } while (advance_date());
  require_complete();
  return result();
}

/// Nothing is running and every transfer that was queued has ended, so that in the end all wait for
/// operations.
void ListScheduler::require_complete() const {
  std::string stuck;
  for (costs::ProcessorId processor = 0; processor < graph_.processors; ++processor) {
    stuck += waiting(processor);
  }
  if (stuck.empty()) return;
  throw DeadlockError(
      fmt::format("schedule '{}' comes to a stop at {} cycles{}", schedule_.name, now_, stuck));
}

/// "; processor p waits ..." for its oldest instance left, or of its program the next; empty if all
/// are executed.
std::string ListScheduler::waiting(costs::ProcessorId processor) const {
  std::optional<Instance> oldest;
  if (const auto& program = graph_.programs[processor]) {
    const std::size_t executed = resources_[processor].executed;
    if (executed < program->size()) oldest = (*program)[executed];
  } else {
    for (contract::OpId op = 0; op < graph_.ops; ++op) {
      if (graph_.tasks[op].resource != processor) continue;
      const auto left = std::ranges::find(spans_[op], -1, &Span::end);
      if (left == spans_[op].end()) continue;
      const std::int64_t minibatch = left - spans_[op].begin();
      if (!oldest || minibatch < oldest->minibatch) oldest = {op, minibatch};
    }
  }
  if (!oldest) return "";
  return fmt::format("; processor {} waits with {} of minibatch {} for {}", processor,
                     describe(schedule_, oldest->task), oldest->minibatch, cause(*oldest));
}

/// The first operation not executed that stands before a waiting one.
std::string ListScheduler::cause(const Instance& waiting) const {
  for (const contract::Edge& edge : schedule_.edges) {
    if (edge.to != waiting.task || waiting.minibatch < edge.tokens) continue;
    const std::int64_t minibatch = waiting.minibatch - edge.tokens;
    const std::vector<contract::OpId> producers = edge.tensor == contract::Edge::no_tensor
                                                      ? std::vector{edge.from}
                                                      : origins(schedule_, edge.tensor);
    for (const contract::OpId op : producers) {
      if (spans_[op][index(minibatch)].end != -1) continue;
      return fmt::format("{} of minibatch {} on processor {}", describe(schedule_, op), minibatch,
                         schedule_.ops[op].processor);
    }
  }
  throw InternalError(fmt::format("schedule '{}': {} waits for nothing", schedule_.name,
                                  describe(schedule_, waiting.task)));
}

Timetable ListScheduler::result() {
  const auto first_transfer = spans_.begin() + static_cast<std::ptrdiff_t>(graph_.ops);
  Timetable table;
  table.ops.assign(std::move_iterator(spans_.begin()), std::move_iterator(first_transfer));
  table.transfers.assign(std::move_iterator(first_transfer), std::move_iterator(spans_.end()));
  for (const std::vector<Span>& op : table.ops) {
    for (const Span& span : op) table.makespan = std::max(table.makespan, span.end);
  }
  table.minibatch_ends.assign(table.ops[schedule_.updates.front()].size(), 0);
  for (std::size_t minibatch = 0; minibatch < table.minibatch_ends.size(); ++minibatch) {
    for (const contract::OpId op : schedule_.updates) {
      std::int64_t& end = table.minibatch_ends[minibatch];
      end = std::max(end, table.ops[op][minibatch].end);
    }
  }
  return table;
}

}  // namespace

Timetable timetable(const contract::Schedule& schedule, std::int64_t minibatches,
                    const TransferCycles& transfer_cycles) {
  return ListScheduler(schedule, minibatches, transfer_cycles, nullptr).run();
}

Timetable timetable(const contract::Schedule& schedule, std::int64_t minibatches,
                    const TransferCycles& transfer_cycles, SharedNetwork& network) {
  return ListScheduler(schedule, minibatches, transfer_cycles, &network).run();
}

}  // namespace layerpipe::theory
