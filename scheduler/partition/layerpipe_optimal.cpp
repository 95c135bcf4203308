#include "scheduler/partition/layerpipe_optimal.hpp"

#include <algorithm>
#include <vector>

#include "scheduler/partition/lending.hpp"
#include "scheduler/split.hpp"

/// For a target T, the stages are looked at from the network's output on. All that a stage tells
/// the one before it is its room: the cycles below T that it can spend on the input gradient lent
/// to it. More room is never worse, and a layer that may lend keeps least by filling the room,
/// since neither part gets cheaper as units are added. So the most room of a stage that begins at a
/// layer, with a number of stages from there on, follows from the most room of the next. T is
/// enough if a first stage has room for nothing; the least such T is searched for by bisection.
namespace layerpipe::scheduler {

namespace {

constexpr std::int64_t impossible = -1;

/// Sums over the layers of a network.
class Chain {
 public:
  Chain(const Profile& profile, const SchedulerOptions& options)
      : profile_(profile), split_(options.split), works_(layer_works(profile, options)) {
    for (const LayerWork& work : works_) {
      cycles_before_.push_back(cycles_before_.back() + work.fixed + work.flexible);
    }
  }

  [[nodiscard]] std::size_t size() const { return works_.size(); }
  [[nodiscard]] std::int64_t total() const { return cycles_before_.back(); }
  [[nodiscard]] const LayerWork& work(std::size_t l) const { return works_[l]; }

  /// All cycles of layers begin..last, without the input gradient of the last one if it is
  /// flexible.
  [[nodiscard]] std::int64_t unlent(std::size_t begin, std::size_t last) const {
    return cycles_before_[last] - cycles_before_[begin] + works_[last].fixed;
  }

  /// Least that layer `l` keeps of its flexible input gradient if the lender has `room` for it.
  [[nodiscard]] std::int64_t least_kept(std::size_t l, std::int64_t room) const {
    if (works_[l].flexible == 0) return 0;
    const LayerProfile& layer = profile_.layers[l];
    return part_cycles(layer, split_, split_units(layer, split_) - most_units(layer, split_, room));
  }

  /// Layer `l` lends as little as possible so as to keep at most `room` cycles.
  [[nodiscard]] Placement least_lent(std::size_t l, ProcessorId processor,
                                     std::int64_t room) const {
    const LayerProfile& layer = profile_.layers[l];
    const std::int64_t units =
        works_[l].flexible == 0 ? 0 : split_units(layer, split_) - most_units(layer, split_, room);
    return placement(layer, split_, processor, units);
  }

 private:
  const Profile& profile_;
  Split split_;
  std::vector<LayerWork> works_;
  std::vector<std::int64_t> cycles_before_{0};  ///< [l]: of all layers before l
};

/// What is possible within a target.
class Rooms {
 public:
  Rooms(const Chain& chain, std::int64_t target, std::size_t max_stages)
      : chain_(chain), target_(target) {
    while (stages() < max_stages && !is_enough()) add_stage();
  }

  /// All layers can be placed, with `stages()` stages and no fewer.
  [[nodiscard]] bool is_enough() const {
    return !rooms_.empty() && rooms_.back().front() != impossible;
  }

  [[nodiscard]] std::size_t stages() const { return rooms_.size(); }

  /// Precondition: is_enough().
  [[nodiscard]] std::vector<Placement> placements() const {
    std::vector<Placement> result;
    std::int64_t received = 0;
    for (std::size_t stage = 0; stage < stages(); ++stage) {
      const std::size_t begin = result.size();
      const std::size_t last = first_last(begin, received, stages() - 1 - stage);
      result.resize(last, {stage, 0.0, 0});
      result.push_back(
          chain_.least_lent(last, stage, target_ - received - chain_.unlent(begin, last)));
      received = result.back().lent_cycles;
    }
    return result;
  }

 private:
  /// Least that layer `last` keeps of its input gradient when it ends a stage and `after` stages
  /// follow; `impossible` if they cannot hold the layers behind it.
  [[nodiscard]] std::int64_t kept(std::size_t last, std::size_t after) const {
    const bool is_end = last + 1 == chain_.size();
    if (is_end != (after == 0)) return impossible;
    if (is_end) return 0;
    const std::int64_t room = rooms_[after - 1][last + 1];
    return room == impossible ? impossible : chain_.least_kept(last, room);
  }

  /// Cycles left on a stage of layers begin..last, if there are some; below 0 otherwise.
  [[nodiscard]] std::int64_t left(std::size_t begin, std::size_t last, std::int64_t kept) const {
    return kept == impossible ? impossible : target_ - chain_.unlent(begin, last) - kept;
  }

  /// Whether the layer before `begin` may lend to a stage of layers begin..last.
  [[nodiscard]] bool can_receive(std::size_t begin, std::size_t last) const {
    return begin > 0 && chain_.work(begin - 1).flexible > 0 &&
           chain_.work(begin - 1).lender <= last;
  }

  void add_stage() {
    const std::size_t after = rooms_.size();
    std::vector<std::int64_t> kept_by_last;
    for (std::size_t l = 0; l < chain_.size(); ++l) kept_by_last.push_back(kept(l, after));
    std::vector<std::int64_t> rooms(chain_.size(), impossible);
    for (std::size_t begin = 0; begin < chain_.size(); ++begin) {
      for (std::size_t last = begin; last < chain_.size() && chain_.unlent(begin, last) <= target_;
           ++last) {
        const std::int64_t room = left(begin, last, kept_by_last[last]);
        if (room < 0) continue;
        rooms[begin] = std::max(rooms[begin], can_receive(begin, last) ? room : 0);
      }
    }
    rooms_.push_back(std::move(rooms));
  }

  /// The shortest stage from `begin` on that has room for `received` cycles.
  [[nodiscard]] std::size_t first_last(std::size_t begin, std::int64_t received,
                                       std::size_t after) const {
    std::size_t last = begin;
    while (left(begin, last, kept(last, after)) < received ||
           (received > 0 && !can_receive(begin, last))) {
      ++last;
    }
    return last;
  }

  const Chain& chain_;
  std::int64_t target_;
  /// [n][l]: most room on the first of n + 1 stages that hold the layers from l on, for what layer
  /// l - 1 lends; `impossible` if they cannot hold them.
  std::vector<std::vector<std::int64_t>> rooms_;
};

}  // namespace

Allocation layerpipe_optimal_partition(const Profile& profile, std::size_t processors,
                                       const SchedulerOptions& options) {
  const Chain chain(profile, options);
  const std::size_t max_stages = std::min(processors, chain.size());
  const auto count = static_cast<std::int64_t>(max_stages);
  std::int64_t too_small = (chain.total() + count - 1) / count - 1;
  std::int64_t enough = chain.total();
  while (enough - too_small > 1) {
    const std::int64_t middle = too_small + (enough - too_small) / 2;
    (Rooms(chain, middle, max_stages).is_enough() ? enough : too_small) = middle;
  }
  return {Rooms(chain, enough, max_stages).placements(), options.split};
}

}  // namespace layerpipe::scheduler
