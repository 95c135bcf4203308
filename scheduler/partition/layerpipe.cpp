#include "scheduler/partition/layerpipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "workloads/base/error.hpp"

namespace layerpipe::scheduler {

namespace {

constexpr double tolerance = 1e-12;

/// A layer as the walk sees it, in cycles.
struct LayerWork {
  double flexible = 0.0;  ///< input gradient that may be lent
  double fixed = 0.0;     ///< the rest
};

bool is_movable(const Profile& profile, std::size_t l, const SchedulerOptions& options) {
  const LayerProfile& layer = profile.layers[l];
  if (l == 0 || !layer.lender) return false;
  const std::int64_t all_bytes =
      layer.weight_bytes + layer.weightless_backward_bytes + layer.input_gradient_bytes;
  return layer.input_gradient_cycles > 0 && layer.weight_bytes <= options.max_lent_weight_bytes &&
         all_bytes <= options.max_lent_bytes;
}

std::vector<LayerWork> works(const Profile& profile, const SchedulerOptions& options) {
  std::vector<LayerWork> result;
  for (std::size_t l = 0; l < profile.layers.size(); ++l) {
    const LayerProfile& layer = profile.layers[l];
    const auto delta = static_cast<double>(layer.input_gradient_cycles);
    const auto rest = static_cast<double>(layer.forward_cycles + layer.weight_gradient_cycles);
    const bool movable = is_movable(profile, l, options);
    result.push_back({movable ? delta : 0.0, movable ? rest : rest + delta});
  }
  return result;
}

/// One walk of the algorithm, from the last layer to the first. Processors are numbered in the
/// order in which they are opened.
class Walk {
 public:
  Walk(double target, std::size_t processors) : target_(target), processors_(processors) {}

  /// False if the target fails.
  bool place(const LayerWork& layer) {
    if (fits(layer.flexible)) {
      used_ += layer.flexible;
      const bool apart = !fits(layer.fixed);
      if (apart) open_next();
      add_fixed(layer, apart ? layer.flexible : 0.0);
    } else {
      const double lent = std::max(0.0, target_ - used_);
      open_next();
      used_ = layer.flexible - lent;
      add_fixed(layer, lent);
    }
    return processor_ < processors_ && fits(0.0);
  }

  struct Placed {
    std::size_t processor = 0;  ///< counted from the network's output
    double lent = 0.0;          ///< cycles of input gradient on the processor before
  };

  /// In reverse order of layers.
  [[nodiscard]] const std::vector<Placed>& placements() const { return placements_; }

 private:
  [[nodiscard]] bool fits(double cycles) const {
    return used_ + cycles <= target_ * (1.0 + tolerance);
  }

  void open_next() {
    ++processor_;
    used_ = 0.0;
  }

  void add_fixed(const LayerWork& layer, double lent) {
    used_ += layer.fixed;
    placements_.push_back({processor_, lent});
  }

  double target_;
  std::size_t processors_;
  std::size_t processor_ = 0;
  double used_ = 0.0;
  std::vector<Placed> placements_;
};

std::optional<std::vector<Walk::Placed>> walk(const std::vector<LayerWork>& layers, double target,
                                              std::size_t processors) {
  Walk walk(target, processors);
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    if (!walk.place(*layer)) return std::nullopt;
  }
  return walk.placements();
}

/// Numbers processors from the input and makes lent parts whole cycles.
Allocation allocation(const Profile& profile, const std::vector<Walk::Placed>& placements) {
  const std::size_t stages = placements.back().processor + 1;
  Allocation result;
  for (std::size_t l = 0; l < placements.size(); ++l) {
    const Walk::Placed& placed = placements[placements.size() - 1 - l];
    const std::int64_t delta = profile.layers[l].input_gradient_cycles;
    Placement placement;
    placement.processor = stages - 1 - placed.processor;
    placement.lent_cycles =
        std::min(delta, static_cast<std::int64_t>(std::floor(placed.lent * (1.0 + tolerance))));
    if (placement.lent_cycles > 0) {
      placement.lent_fraction =
          static_cast<double>(placement.lent_cycles) / static_cast<double>(delta);
    }
    result.layers.push_back(placement);
  }
  return result;
}

double first_target(const Profile& profile, const std::vector<LayerWork>& layers,
                    std::size_t processors) {
  double target = static_cast<double>(total_cycles(profile)) / static_cast<double>(processors);
  for (const LayerWork& layer : layers) target = std::max(target, layer.fixed);
  return target;
}

}  // namespace

LayerPipePartition layerpipe_partition(const Profile& profile, std::size_t processors,
                                       const SchedulerOptions& options) {
  if (!(options.alpha > 1.0)) {
    throw UsageError(fmt::format("alpha is {} (expected a number above 1)", options.alpha));
  }
  const std::vector<LayerWork> layers = works(profile, options);
  double target = first_target(profile, layers, processors);
  for (;; target *= options.alpha) {
    if (const auto placements = walk(layers, target, processors)) {
      return {allocation(profile, *placements), target};
    }
  }
}

}  // namespace layerpipe::scheduler
