#include "scheduler/placement/layerpipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "scheduler/costs/split.hpp"
#include "scheduler/placement/lending.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::placement {

namespace {

constexpr double tolerance = 1e-12;

/// How much of one input gradient is lent, and what the rest of it takes.
struct Filling {
  double units = 0.0;  ///< cycles (ideal), channels or samples
  double kept_cycles = 0.0;
};

/// The most of the layer's input gradient that takes at most `room` cycles; nothing if what is left
/// would take as long as the whole.
Filling fill(const costs::LayerProfile& layer, costs::Split split, double room) {
  if (split == costs::Split::ideal) {
    return {room, static_cast<double>(layer.input_gradient_cycles) - room};
  }
  const std::int64_t units = most_units(layer, split, static_cast<std::int64_t>(room));
  const std::int64_t kept = part_cycles(layer, split, split_units(layer, split) - units);
  const bool is_useful = kept < layer.input_gradient_cycles;
  return {is_useful ? static_cast<double>(units) : 0.0, static_cast<double>(kept)};
}

/// One walk of the algorithm, from the last layer to the first. Processors are numbered in the
/// order in which they are opened.
class Walk {
 public:
  Walk(const costs::Profile& profile, const std::vector<LayerWork>& works, Reading reading,
       costs::Split split, double target, std::size_t processors)
      : profile_(profile),
        works_(works),
        reading_(reading),
        split_(split),
        target_(target),
        processors_(processors),
        last_on_open_(works.size() - 1) {}

  /// Places layer `l`, the one before those placed so far. False if the target fails.
  bool place(std::size_t l) {
    const LayerWork& work = works_[l];
    const bool can_lend = work.flexible > 0 && work.borrower <= last_on_open_;
    const auto flexible = static_cast<double>(can_lend ? work.flexible : 0);
    const auto fixed = static_cast<double>(work.fixed + (can_lend ? 0 : work.flexible));
    Placed placed;
    placed.borrower = processor_;
    if (fits(flexible)) {
      used_ += flexible;
      if (!fits(fixed)) {
        open_next(l);
        if (can_lend) placed.borrowed_units = whole(l);
      }
    } else {
      const Filling filling = fill(profile_.layers[l], split_, room());
      open_next(l);
      used_ = filling.kept_cycles;
      placed.borrowed_units = filling.units;
      if (reading_ == Reading::literal && fits(0.0) && !fits(fixed)) {
        placed.apart = processor_;
        open_next(l);
      }
    }
    used_ += fixed;
    placed.processor = processor_;
    placements_.push_back(placed);
    return processor_ < processors_ && fits(0.0);
  }

  /// Processors are counted from the network's output.
  struct Placed {
    std::size_t processor = 0;
    std::size_t borrower = 0;          ///< of the input gradient
    double borrowed_units = 0.0;       ///< so much
    std::optional<std::size_t> apart;  ///< who computes the rest, if not the layer's own
  };

  /// In reverse order of layers.
  [[nodiscard]] const std::vector<Placed>& placements() const { return placements_; }

 private:
  [[nodiscard]] bool fits(double cycles) const {
    return used_ + cycles <= target_ * (1.0 + tolerance);
  }

  /// Cycles that are left on the open processor.
  [[nodiscard]] double room() const {
    const double limit = split_ == costs::Split::ideal ? target_ : target_ * (1.0 + tolerance);
    return std::max(0.0, limit - used_);
  }

  [[nodiscard]] double whole(std::size_t l) const {
    return static_cast<double>(split_units(profile_.layers[l], split_));
  }

  void open_next(std::size_t l) {
    ++processor_;
    used_ = 0.0;
    last_on_open_ = l;
  }

  const costs::Profile& profile_;
  const std::vector<LayerWork>& works_;
  Reading reading_;
  costs::Split split_;
  double target_;
  std::size_t processors_;
  std::size_t last_on_open_;  ///< the layer with which the open processor was opened
  std::size_t processor_ = 0;
  double used_ = 0.0;
  std::vector<Placed> placements_;
};

/// Numbers processors from the input and makes borrowed parts whole units.
Allocation allocation(const costs::Profile& profile, costs::Split split,
                      const std::vector<Walk::Placed>& placements) {
  const std::size_t last = placements.back().processor;
  Allocation result{{}, split};
  for (std::size_t l = 0; l < placements.size(); ++l) {
    const costs::LayerProfile& layer = profile.layers[l];
    const Walk::Placed& placed = placements[placements.size() - 1 - l];
    const auto units =
        static_cast<std::int64_t>(std::floor(placed.borrowed_units * (1.0 + tolerance)));
    std::vector<BorrowedUnits> borrowed{{last - placed.borrower, units}};
    if (placed.apart) borrowed.push_back({last - *placed.apart, split_units(layer, split)});
    result.layers.push_back(placement(layer, split, last - placed.processor, borrowed));
  }
  return result;
}

double first_target(const std::vector<LayerWork>& works, std::size_t processors) {
  std::int64_t total = 0;
  std::int64_t largest_fixed = 0;
  for (const LayerWork& work : works) {
    total += work.fixed + work.flexible;
    largest_fixed = std::max(largest_fixed, work.fixed);
  }
  return std::max(static_cast<double>(total) / static_cast<double>(processors),
                  static_cast<double>(largest_fixed));
}

}  // namespace

LayerPipePartition layerpipe_partition(const costs::Profile& profile, std::size_t processors,
                                       const SchedulerOptions& options, Reading reading) {
  if (!(options.alpha > 1.0)) {
    throw UsageError(fmt::format("alpha is {} (expected a number above 1)", options.alpha));
  }
  const std::vector<LayerWork> works = layer_works(profile, options);
  double target = first_target(works, processors);
  for (;; target *= options.alpha) {
    Walk walk(profile, works, reading, options.split, target, processors);
    bool is_placed = true;
    for (std::size_t l = works.size(); l-- > 0 && is_placed;) is_placed = walk.place(l);
    if (is_placed) return {allocation(profile, options.split, walk.placements()), target};
  }
}

}  // namespace layerpipe::placement
