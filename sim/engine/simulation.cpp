#include "sim/engine/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <set>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "sim/engine/deadlock.hpp"
#include "sim/engine/execution.hpp"
#include "sim/engine/flow_links.hpp"
#include "sim/engine/simgrid_versions.hpp"
#include "sim/events/channel.hpp"
#include "workloads/base/error.hpp"

namespace sg4 = simgrid::s4u;

namespace layerpipe::engine {

namespace {

using costs::ProcessorId;

/// An actor that sleeps until something may start on its processor or channel.
struct Worker {
  sg4::ActorPtr actor;
  bool is_waiting = false;
};

/// The network flow of a contended channel.
struct Flow {
  sg4::CommPtr comm;              ///< null when none is under way
  std::int64_t earliest_end = 0;  ///< date if it were alone on its links
  double bytes_per_cycle = 0.0;   ///< of the narrowest link of the route
  bool has_ended = false;         ///< SimGrid has ended it; the arrival waits for its whole cycle
};

/// One simulated second is one cycle. Dates of operations and of transfers on links of their own
/// are whole cycles and come from kernel timers; only flows on shared links take SimGrid's own
/// time.
class Simulation {
 public:
  Simulation(const machine::Machine& machine, const contract::Schedule& schedule,
             std::int64_t minibatches, events::EventSink& sink, const SimulationOptions& options)
      : machine_(machine),
        schedule_(schedule),
        sink_(sink),
        may_stop_(options.may_stop),
        channels_(options.only_flows ? as_flows(events::used_channels(machine, schedule))
                                     : events::used_channels(machine, schedule)),
        transfer_cycles_(cycles_alone(machine, schedule, channels_)),
        execution_(schedule, channels_, transfer_cycles_, minibatches, sink),
        processors_(schedule.orders.size()),
        workers_of_channels_(channels_.channels.size()),
        flows_(channels_.channels.size()) {}

  /// Returns the number of minibatches executed.
  std::int64_t run() {
    prepare_flows();
    create_actors();
    sg4::Engine::get_instance()->run();
    if (failure_) std::rethrow_exception(failure_);
    if (!execution_.finished()) {
      throw DeadlockError(describe_deadlock(schedule_, machine_, execution_.marking()));
    }
    return execution_.marking().minibatches();
  }

 private:
  static events::Channels as_flows(events::Channels channels) {
    for (events::Channel& channel : channels.channels) channel.is_contended = true;
    return channels;
  }

  void prepare_flows() {
    prepare_links(machine_, channels_.channels);
    for (std::size_t c = 0; c < flows_.size(); ++c) {
      flows_[c].bytes_per_cycle =
          bandwidth(machine_, channels_.channels[c].route) / machine_.clock_hertz;
    }
  }

  void create_actors() {
    for (ProcessorId p = 0; p < processors_.size(); ++p) {
      if (!has_work(p)) continue;
      processors_[p].actor = add_actor("processor", host(p), [this, p] { process(p); });
    }
    for (std::size_t c = 0; c < workers_of_channels_.size(); ++c) {
      workers_of_channels_[c].actor =
          add_actor("channel", host(channels_.channels[c].source), [this, c] { transfer(c); });
    }
  }

  [[nodiscard]] bool has_work(ProcessorId processor) const {
    return std::visit([](const auto& order) { return !order.entries.empty(); },
                      schedule_.orders[processor]);
  }

  [[nodiscard]] sg4::Host* host(ProcessorId processor) const {
    return sg4::Host::by_name(machine_.processors[processor]);
  }

  [[nodiscard]] bool is_over() const { return failure_ || execution_.finished(); }

  /// The actor of a processor.
  void process(ProcessorId p) {
    while (wait(processors_[p], [&] { return execution_.can_start_operation(p); })) {
      guarded([&] {
        settle_flows();
        at(execution_.date() + execution_.start_operation(p),
           [this, p] { execution_.end_operation(p); });
      });
    }
  }

  /// The actor of a channel.
  void transfer(std::size_t c) {
    while (wait(workers_of_channels_[c], [&] { return execution_.can_start_transfer(c); })) {
      guarded([&] {
        settle_flows();
        const Transfer transfer = execution_.start_transfer(c);
        const std::int64_t end = execution_.date() + transfer_cycles_[transfer.tensor];
        const std::int64_t bytes = schedule_.tensors[transfer.tensor].bytes;
        if (channels_.channels[c].is_contended && bytes > 0) {
          send_flow(c, bytes, end);
        } else {
          at(end, [this, c] { execution_.end_transfer(c); });
        }
      });
    }
  }

  /// False when the run is over.
  template <class Predicate>
  bool wait(Worker& worker, Predicate can_start) {
    while (!is_over() && !can_start()) {
      worker.is_waiting = true;
      sg4::this_actor::suspend();
    }
    return !is_over();
  }

  void wake(Worker& worker) {
    if (!worker.is_waiting) return;
    worker.is_waiting = false;
    worker.actor->resume();
  }

  /// An actor that wakes another one lets others run before it goes on. They may come here, too, so
  /// each call takes the lists along, and has its own.
  void wake_touched() {
    std::vector<ProcessorId> processors = std::exchange(touched_processors_, {});
    std::vector<std::size_t> channels = std::exchange(touched_channels_, {});
    execution_.take_touched(processors, channels);
    for (const ProcessorId p : processors) {
      if (execution_.can_start_operation(p)) wake(processors_[p]);
    }
    for (const std::size_t c : channels) {
      if (execution_.can_start_transfer(c)) wake(workers_of_channels_[c]);
    }
    touched_processors_ = std::move(processors);
    touched_channels_ = std::move(channels);
    if (is_over()) wake_all();
  }

  void wake_all() {
    for (Worker& worker : processors_) wake(worker);
    for (Worker& worker : workers_of_channels_) wake(worker);
  }

  /// An exception that leaves an actor or a timer would abort the process.
  template <class Action>
  void guarded(Action action) {
    try {
      if (!failure_) action();
    } catch (const simgrid::ForcefulKillException&) {
      throw;
    } catch (...) {
      failure_ = std::current_exception();
      wake_all();
    }
  }

  void advance(std::int64_t date) {
    if (date > execution_.date()) {
      sink_.date_over(date, flows_left_);
      if (may_stop_ && may_stop_()) {
        execution_.shorten();
        may_stop_ = nullptr;
      }
    }
    execution_.advance(date);
  }

  [[nodiscard]] std::vector<double> flows_left() const {
    std::vector<double> cycles;
    for (const Flow& flow : flows_) {
      cycles.push_back(flow.comm ? flow.comm->get_remaining() / flow.bytes_per_cycle : 0.0);
    }
    return cycles;
  }

  /// Does `action` at a whole date, before any actor that wakes at this date.
  template <class Action>
  void at(std::int64_t date, Action action) {
    simgrid::kernel::timer::Timer::set(static_cast<double>(date), [this, date, action] {
      guarded([&] {
        advance(date);
        action();
        wake_touched();
      });
    });
  }

  void send_flow(std::size_t c, std::int64_t bytes, std::int64_t earliest_end) {
    const events::Channel& channel = channels_.channels[c];
    Flow& flow = flows_[c];
    flow.earliest_end = earliest_end;
    flow.has_ended = false;
    flow.comm = sg4::Comm::sendto_async(host(channel.source), host(channel.destination),
                                        static_cast<std::uint64_t>(bytes));
    flows_under_way_.insert(c);
    const sg4::CommPtr comm = flow.comm;
    comm->wait();
    if (flow.comm != comm) return;  // settle_flows saw it arrive
    flow.has_ended = true;
    const double now = sg4::Engine::get_clock();
    const std::int64_t date =
        std::max(static_cast<std::int64_t>(std::ceil(now - clock_error(now))), earliest_end);
    if (static_cast<double>(date) > now) {
      at(date, [this, c] { arrive(c); });
    } else {
      advance(date);
      arrive(c);
      wake_touched();
    }
  }

  void arrive(std::size_t c) {
    flows_[c].comm = nullptr;
    flows_under_way_.erase(c);
    execution_.end_transfer(c);
  }

  /// A flow may end a rounding error after the whole date that it belongs to. Whoever picks first
  /// at a date lets the flows arrive that end with it.
  void settle_flows() {
    const std::int64_t date = execution_.date();
    if (flows_under_way_.empty() || date == flows_settled_at_) return;
    flows_settled_at_ = date;
    const double tolerance = clock_error(static_cast<double>(date));
    bool has_arrived = false;
    for (auto next = flows_under_way_.begin(); next != flows_under_way_.end();) {
      const std::size_t c = *next++;
      const Flow& flow = flows_[c];
      if (flow.has_ended || flow.earliest_end > date) continue;
      if (flow.comm->get_remaining() > tolerance * flow.bytes_per_cycle) continue;
      arrive(c);
      has_arrived = true;
    }
    if (has_arrived) wake_touched();
  }

  /// So many cycles after a whole date, a flow's end is still that of the date: more than a latency
  /// that is taken for whole, and SimGrid's precision of shares from one change of them to the
  /// next, can make of it.
  static double clock_error(double date) {
    return std::max(1e-4, 16.0 * date * std::numeric_limits<double>::epsilon());
  }

  const machine::Machine& machine_;
  const contract::Schedule& schedule_;
  events::EventSink& sink_;
  std::function<bool()> may_stop_;
  const events::FlowsLeft flows_left_ = [this] { return flows_left(); };
  const events::Channels channels_;
  const std::vector<std::int64_t> transfer_cycles_;
  Execution execution_;
  std::vector<Worker> processors_;
  std::vector<Worker> workers_of_channels_;
  std::vector<Flow> flows_;
  std::set<std::size_t> flows_under_way_;  ///< channels
  std::int64_t flows_settled_at_ = -1;
  std::exception_ptr failure_;
  std::vector<ProcessorId> touched_processors_;  ///< memory for wake_touched
  std::vector<std::size_t> touched_channels_;
};

}  // namespace

std::int64_t simulate(const machine::Machine& machine, const contract::Schedule& schedule,
                      std::int64_t minibatches, events::EventSink& sink,
                      const SimulationOptions& options) {
  return Simulation(machine, schedule, minibatches, sink, options).run();
}

}  // namespace layerpipe::engine
