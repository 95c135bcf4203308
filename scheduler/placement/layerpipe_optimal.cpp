#include "scheduler/placement/layerpipe_optimal.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "scheduler/costs/split.hpp"
#include "scheduler/placement/lending.hpp"

/// For a target T, the stages are looked at from the network's output on. All that a stage tells
/// the one before it is its room: the cycles below T that it can spend on the input gradient that
/// it borrows. More room is never worse, and a layer keeps least if the room is filled, since no
/// part gets cheaper as units are added. What the room does not hold stays with the layer, or lies
/// on a stage of its own between them, if all of it fits there. So the most room of a stage that
/// begins at a layer, with a number of stages from there on, follows from the most room of the
/// next two. T is enough if a first stage keeps within it; the least such T is searched for by
/// bisection.
namespace layerpipe::placement {

namespace {

/// Rooms that are none, in the order in which they are worse: the stage cannot hold its layers, or
/// it holds them and can borrow nothing.
constexpr std::int64_t impossible = -2;
constexpr std::int64_t closed = -1;

/// Sums over the layers of a network.
class Chain {
 public:
  Chain(const costs::Profile& profile, const SchedulerOptions& options)
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

  /// Units of the input gradient of layer `l` that cannot be borrowed by a stage with `room`.
  [[nodiscard]] std::int64_t units_left(std::size_t l, std::int64_t room) const {
    if (works_[l].flexible == 0) return 0;
    const costs::LayerProfile& layer = profile_.layers[l];
    return split_units(layer, split_) - (room < 0 ? 0 : most_units(layer, split_, room));
  }

  /// Of a flexible input gradient.
  [[nodiscard]] std::int64_t part_cycles(std::size_t l, std::int64_t units) const {
    return units == 0 ? 0 : costs::part_cycles(profile_.layers[l], split_, units);
  }

  [[nodiscard]] Placement placed(std::size_t l, costs::ProcessorId processor,
                                 const std::vector<BorrowedUnits>& borrowed) const {
    return placement(profile_.layers[l], split_, processor, borrowed);
  }

 private:
  const costs::Profile& profile_;
  costs::Split split_;
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
    std::int64_t received = closed;
    for (std::size_t stage = 0; stage < stages(); ++stage) {
      const std::size_t begin = result.size();
      const std::size_t last = first_last(begin, received, stages() - 1 - stage);
      result.resize(last, {stage});
      const std::int64_t room =
          target_ - std::max<std::int64_t>(received, 0) - chain_.unlent(begin, last);
      received = closed;
      if (kept_beside(last, stages() - 1 - stage) <= room) {
        const std::int64_t units = chain_.units_left(last, room);
        result.push_back(chain_.placed(last, stage, {{stage + 1, units}}));
        if (units > 0) received = chain_.part_cycles(last, units);
      } else {
        const std::int64_t units = chain_.units_left(last, target_);
        const std::int64_t all = chain_.units_left(last, closed);
        result.push_back(chain_.placed(last, stage, {{stage + 2, units}, {stage + 1, all}}));
        received = chain_.part_cycles(last, units);
        ++stage;
      }
    }
    return result;
  }

 private:
  static constexpr std::int64_t too_much = std::numeric_limits<std::int64_t>::max();

  /// Room of the first of `stages` stages that hold the layers from `begin` on.
  [[nodiscard]] std::int64_t room(std::size_t begin, std::size_t stages) const {
    return stages == 0 ? impossible : rooms_[stages - 1][begin];
  }

  /// Least that layer `last` keeps of its input gradient when it ends a stage, `after` stages
  /// follow, and the next one holds layers; `too_much` if they cannot hold the layers behind it.
  [[nodiscard]] std::int64_t kept_beside(std::size_t last, std::size_t after) const {
    const bool is_end = last + 1 == chain_.size();
    if (is_end) return after == 0 ? 0 : too_much;
    const std::int64_t next = room(last + 1, after);
    return next == impossible ? too_much : chain_.part_cycles(last, chain_.units_left(last, next));
  }

  /// The next one of the `after` stages computes what the one after it does not borrow.
  [[nodiscard]] bool keeps_nothing(std::size_t last, std::size_t after) const {
    const bool is_flexible = chain_.work(last).flexible > 0;
    if (!is_flexible || after < 2) return false;
    const std::int64_t borrower = room(last + 1, after - 1);
    return borrower >= 0 && chain_.part_cycles(last, chain_.units_left(last, borrower)) <= target_;
  }

  [[nodiscard]] std::int64_t kept(std::size_t last, std::size_t after) const {
    return keeps_nothing(last, after) ? 0 : kept_beside(last, after);
  }

  /// Cycles left on a stage of layers begin..last, if there are some; below 0 otherwise.
  [[nodiscard]] std::int64_t left(std::size_t begin, std::size_t last, std::int64_t kept) const {
    return kept == too_much ? impossible : target_ - chain_.unlent(begin, last) - kept;
  }

  /// Whether the layer before `begin` may lend to a stage of layers begin..last.
  [[nodiscard]] bool can_receive(std::size_t begin, std::size_t last) const {
    return begin > 0 && chain_.work(begin - 1).flexible > 0 &&
           chain_.work(begin - 1).borrower <= last;
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
        rooms[begin] = std::max(rooms[begin], can_receive(begin, last) ? room : closed);
      }
    }
    rooms_.push_back(std::move(rooms));
  }

  /// The shortest stage from `begin` on that has room for `received` cycles, or need not borrow.
  [[nodiscard]] std::size_t first_last(std::size_t begin, std::int64_t received,
                                       std::size_t after) const {
    std::size_t last = begin;
    while (left(begin, last, kept(last, after)) < std::max<std::int64_t>(received, 0) ||
           (received != closed && !can_receive(begin, last))) {
      ++last;
    }
    return last;
  }

  const Chain& chain_;
  std::int64_t target_;
  /// [n][l]: most room on the first of n + 1 stages that hold the layers from l on, for what it
  /// borrows of layer l - 1.
  std::vector<std::vector<std::int64_t>> rooms_;
};

}  // namespace

Allocation layerpipe_optimal_partition(const costs::Profile& profile, std::size_t processors,
                                       const SchedulerOptions& options) {
  const Chain chain(profile, options);
  const std::size_t max_stages = std::min(processors, 2 * chain.size());
  const auto count = static_cast<std::int64_t>(max_stages);
  std::int64_t too_small = (chain.total() + count - 1) / count - 1;
  std::int64_t enough = chain.total();
  while (enough - too_small > 1) {
    const std::int64_t middle = too_small + (enough - too_small) / 2;
    (Rooms(chain, middle, max_stages).is_enough() ? enough : too_small) = middle;
  }
  return {Rooms(chain, enough, max_stages).placements(), options.split};
}

}  // namespace layerpipe::placement
