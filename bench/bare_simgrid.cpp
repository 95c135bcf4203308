#include "bench/bare_simgrid.hpp"

#include <algorithm>
#include <simgrid/s4u.hpp>
#include <string>

#include "platforms/machine/transfer.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/engine/simgrid_versions.hpp"

namespace sg4 = simgrid::s4u;

namespace layerpipe::bench {

namespace {

using contract::OpId;
using contract::TensorId;

class BareProgram {
 public:
  BareProgram(const machine::Machine& machine, const contract::Schedule& schedule,
              std::int64_t minibatches, const Programs& programs)
      : schedule_(schedule),
        programs_(programs),
        minibatches_(minibatches),
        inputs_(schedule.ops.size()),
        outputs_(schedule.ops.size()),
        ended_(schedule.ops.size(), 0),
        sent_(schedule.tensors.size(), 0),
        received_(schedule.tensors.size(), 0),
        least_tokens_(contract::least_tokens(schedule, minibatches)) {
    for (const contract::Edge& edge : schedule.edges) {
      if (edge.tensor != contract::Edge::no_tensor) inputs_[edge.to].push_back(edge);
    }
    std::vector<sg4::ActorPtr> actors;
    for (std::size_t p = 0; p < programs.size(); ++p) {
      actors.push_back(engine::add_actor("processor", sg4::Host::by_name(machine.processors[p]),
                                         [this, p] { execute(p); }));
    }
    for (TensorId id = 0; id < schedule.tensors.size(); ++id) {
      mailboxes_.push_back(sg4::Mailbox::by_name(std::to_string(id)));
      mailboxes_[id]->set_receiver(actors[schedule.tensors[id].destination]);
      for (const OpId op : schedule.tensors[id].producers) outputs_[op].push_back(id);
    }
  }

 private:
  void execute(std::size_t processor) {
    for (const Instance& instance : programs_[processor]) {
      for (const contract::Edge& edge : inputs_[instance.op]) {
        receive(edge.tensor, instance.minibatch - edge.tokens);
      }
      sg4::this_actor::execute(static_cast<double>(cycles(schedule_.ops[instance.op])));
      ++ended_[instance.op];
      for (const TensorId tensor : outputs_[instance.op]) send(tensor);
    }
  }

  /// What another operation has received already is there.
  void receive(TensorId tensor, std::int64_t minibatch) {
    for (; received_[tensor] <= minibatch; ++received_[tensor]) {
      mailboxes_[tensor]->get<BareProgram>();
    }
  }

  /// If the last of its producers has ended, and a minibatch of the run will use it.
  void send(TensorId tensor) {
    const auto has_ended = [&](OpId op) { return ended_[op] > sent_[tensor]; };
    if (!std::ranges::all_of(schedule_.tensors[tensor].producers, has_ended)) return;
    if (sent_[tensor]++ + least_tokens_[tensor] >= minibatches_) return;
    const auto bytes = static_cast<std::uint64_t>(schedule_.tensors[tensor].bytes);
    mailboxes_[tensor]->put_init(this, bytes)->detach();
  }

  const contract::Schedule& schedule_;
  const Programs& programs_;
  std::int64_t minibatches_;
  std::vector<std::vector<contract::Edge>> inputs_;  ///< [op]: with a tensor
  std::vector<std::vector<TensorId>> outputs_;       ///< [op]
  std::vector<std::int64_t> ended_;                  ///< [op]
  std::vector<std::int64_t> sent_;                   ///< [tensor]
  std::vector<std::int64_t> received_;               ///< [tensor]
  std::vector<std::int64_t> least_tokens_;           ///< [tensor]
  std::vector<sg4::Mailbox*> mailboxes_;             ///< [tensor]
};

}  // namespace

Programs programs(const machine::Machine& machine, const contract::Schedule& schedule,
                  std::int64_t minibatches) {
  const auto dates = theory::timetable(schedule, minibatches, [&](TensorId id) {
    const contract::Tensor& tensor = schedule.tensors[id];
    return transfer_cycles(machine, machine.route(tensor.source, tensor.destination), tensor.bytes);
  });
  Programs result(schedule.orders.size());
  for (OpId op = 0; op < schedule.ops.size(); ++op) {
    for (std::int64_t m = 0; m < minibatches; ++m) {
      result[schedule.ops[op].processor].push_back({op, m});
    }
  }
  for (std::vector<Instance>& program : result) {
    std::ranges::sort(program, {}, [&](const Instance& instance) {
      return dates.ops[instance.op][static_cast<std::size_t>(instance.minibatch)].start;
    });
  }
  return result;
}

void run_bare(const machine::Machine& machine, const contract::Schedule& schedule,
              std::int64_t minibatches, const Programs& programs) {
  const BareProgram program(machine, schedule, minibatches, programs);
  sg4::Engine::get_instance()->run();
}

}  // namespace layerpipe::bench
