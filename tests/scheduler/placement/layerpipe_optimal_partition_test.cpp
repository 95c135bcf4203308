#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/costs/split.hpp"
#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/placement/layerpipe.hpp"
#include "scheduler/placement/layerpipe_optimal.hpp"
#include "tests/support/borrowed_cycles.hpp"
#include "tests/support/divisible_profile.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/test_machine.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/base/error.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;
using namespace placement;

constexpr std::array all_splits{Split::ideal, Split::channels, Split::batch};

/// Of a checked schedule, so that every operation is there and costs what it should.
std::int64_t slowest(const Profile& profile, const Allocation& allocation, std::size_t processors) {
  const Schedule schedule = layerpipe_schedule("test", profile, allocation, processors);
  check(schedule, profile);
  return slowest_processor_cycles(schedule);
}

std::int64_t optimum(const Profile& profile, std::size_t processors,
                     const SchedulerOptions& options = {}) {
  return slowest(profile, layerpipe_optimal_partition(profile, processors, options), processors);
}

SchedulerOptions with(Split split) {
  SchedulerOptions options;
  options.split = split;
  return options;
}

/// Tries every way to cut a network into stages and, at every cut, every number of units that may
/// be borrowed over it, with the others beside their layer or on a processor of their own.
class Trial {
 public:
  Trial(const Profile& profile, const SchedulerOptions& options)
      : profile_(profile), options_(options) {}

  std::int64_t least(std::size_t processors) {
    best_ = total_cycles(profile_);
    cut(0, std::nullopt, processors);
    return best_;
  }

  [[nodiscard]] bool is_best_with_parts_apart() const { return is_best_apart_; }

 private:
  /// Ends the stage from `begin` on, which has borrowed so many cycles, in every way.
  void cut(std::size_t begin, std::optional<std::int64_t> borrowed, std::size_t processors) {
    if (processors == 0) return;
    std::int64_t load = borrowed.value_or(0);
    const std::int64_t slowest_before = slowest_;
    for (std::size_t last = begin; last < profile_.layers.size(); ++last) {
      const LayerProfile& layer = profile_.layers[last];
      load += layer.forward_cycles + layer.input_gradient_cycles + layer.weight_gradient_cycles;
      if (borrowed && profile_.layers[begin - 1].borrower > last) continue;
      if (last + 1 == profile_.layers.size()) {
        const std::int64_t found = std::max(slowest_before, load);
        if (found < best_) is_best_apart_ = parts_apart_ > 0;
        best_ = std::min(best_, found);
        continue;
      }
      slowest_ = std::max(slowest_before, load);
      if (slowest_ < best_) cut(last + 1, std::nullopt, processors - 1);
      if (may_lend(last))
        divide(last, load - layer.input_gradient_cycles, slowest_before, processors);
      slowest_ = slowest_before;
    }
  }

  void divide(std::size_t last, std::int64_t load, std::int64_t slowest_before,
              std::size_t processors) {
    const LayerProfile& layer = profile_.layers[last];
    const std::int64_t all = split_units(layer, options_.split);
    const auto cycles = [&](std::int64_t units) {
      return units == 0 ? 0 : part_cycles(layer, options_.split, units);
    };
    for (std::int64_t units = 0; units <= all; ++units) {
      slowest_ = std::max(slowest_before, load + cycles(all - units));
      if (units > 0 && slowest_ < best_) cut(last + 1, cycles(units), processors - 1);
      if (units == all || processors < 2) continue;
      slowest_ = std::max({slowest_before, load, cycles(all - units)});
      ++parts_apart_;
      if (slowest_ < best_) cut(last + 1, cycles(units), processors - 2);
      --parts_apart_;
    }
  }

  [[nodiscard]] bool may_lend(std::size_t l) const {
    const LayerProfile& layer = profile_.layers[l];
    return l > 0 && layer.borrower.has_value() && layer.input_gradient_cycles > 0 &&
           layer.weight_bytes <= options_.max_lent_weight_bytes;
  }

  const Profile& profile_;
  const SchedulerOptions& options_;
  std::int64_t best_ = 0;
  std::int64_t slowest_ = 0;
  int parts_apart_ = 0;
  bool is_best_apart_ = false;
};

/// Whether the best has a part on a processor of its own.
bool expect_optimum(const Profile& profile, std::size_t processors,
                    const SchedulerOptions& options) {
  Trial trial(profile, options);
  EXPECT_EQ(optimum(profile, processors, options), trial.least(processors));
  return trial.is_best_with_parts_apart();
}

TEST(LayerPipeOptimal, EqualsExhaustiveSearchIdeal) {
  int apart = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = tiny_profile(1 + seed % 6, seed);
    apart += expect_optimum(profile, 1 + seed / 6 % 5, {}) ? 1 : 0;
  }
  EXPECT_GT(apart, 0);
}

TEST(LayerPipeOptimal, EqualsExhaustiveSearchOfWholeChannelsAndSamples) {
  for (const Split split : {Split::channels, Split::batch}) {
    int apart = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
      SCOPED_TRACE(std::string(to_string(split)) + " " + std::to_string(seed));
      const Profile profile = divisible_profile(1 + seed % 6, 5, seed);
      SchedulerOptions options = with(split);
      if (seed % 5 == 0) options.max_lent_weight_bytes = 450;  // about half of the layers
      apart += expect_optimum(profile, 1 + seed / 6 % 5, options) ? 1 : 0;
    }
    EXPECT_GT(apart, 0);
  }
}

/// A random graph on 2 x 2 arrays; with `tiny`, of at most 9 cycles an operation.
Profile graph_profile(std::uint64_t seed, bool tiny) {
  machine::Machine machine = test_machine(1);
  machine.array.rows = 2;
  machine.array.cols = 2;
  Profile profile = costs::profile(machine, random_graph(1 + seed % 6, seed));
  for (LayerProfile& layer : profile.layers) {
    if (!tiny) break;
    layer.forward_cycles %= 10;
    layer.input_gradient_cycles %= 10;
    layer.weight_gradient_cycles %= 10;
  }
  return profile;
}

TEST(LayerPipeOptimal, EqualsExhaustiveSearchOnRandomGraphs) {
  std::size_t skips = 0;
  for (const Split split : all_splits) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      const Profile profile = graph_profile(seed, split == Split::ideal);
      const std::size_t processors = 1 + seed / 6 % 4;
      const SchedulerOptions options = with(split);
      ASSERT_EQ(optimum(profile, processors, options), Trial(profile, options).least(processors))
          << to_string(split) << " " << seed;
      for (std::size_t l = 0; l < profile.layers.size(); ++l) {
        if (profile.layers[l].borrower && *profile.layers[l].borrower > l + 1) ++skips;
      }
    }
  }
  EXPECT_GT(skips, 100U);
}

TEST(LayerPipeOptimal, IsNeverAboveAlgorithm1) {
  int below = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Profile profile = divisible_profile(1 + seed % 40, 20, seed);
    const std::size_t processors = 1 + seed / 3 % 12;
    for (const Split split : all_splits) {
      const std::int64_t least = optimum(profile, processors, with(split));
      for (const Reading reading : {Reading::literal, Reading::strict}) {
        const Allocation heuristic =
            layerpipe_partition(profile, processors, with(split), reading).allocation;
        const std::int64_t greedy = slowest(profile, heuristic, processors);
        ASSERT_LE(least, greedy) << to_string(split) << " " << seed;
        if (least < greedy) ++below;
      }
    }
  }
  EXPECT_GT(below, 0);
}

/// Whole channels and samples are among the fractions of the ideal split, and never cheaper.
TEST(LayerPipeOptimal, IsNeverBelowTheIdealSplit) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Profile profile = divisible_profile(1 + seed % 20, 20, seed);
    const std::size_t processors = 1 + seed / 3 % 8;
    const std::int64_t ideal = optimum(profile, processors);
    EXPECT_GE(optimum(profile, processors, with(Split::channels)), ideal) << seed;
    EXPECT_GE(optimum(profile, processors, with(Split::batch)), ideal) << seed;
  }
}

Profile vgg16_convolutions(const array::SystolicArray& array, std::int64_t batch) {
  machine::Machine machine = test_machine(1);
  machine.array = array;
  return costs::profile(
      machine,
      read::read_network(std::string(LAYERPIPE_SOURCE_DIR) + "/workloads/vgg16-conv.yaml", batch));
}

// Reference figures R4: best lending 4.0997e8 on 4 processors and 2.1177e8 on 8.
TEST(LayerPipeOptimal, Vgg16On32x32) {
  const Profile profile = vgg16_convolutions({32, 32}, 32);
  EXPECT_NEAR(static_cast<double>(optimum(profile, 4)), 4.0997e8, 0.5e4);
  EXPECT_NEAR(static_cast<double>(optimum(profile, 8)), 2.1177e8, 0.5e4);
}

// Reference figures R4: Algorithm 1, read strictly, ends at 2.29e7 where 1.927e7 can be reached.
TEST(LayerPipeOptimal, BeatsAlgorithm1OnVgg16) {
  array::SystolicArray array{256, 256};
  array.weight_gradient_dataflow = array::Dataflow::output_stationary;
  const Profile profile = vgg16_convolutions(array, 64);
  EXPECT_NEAR(static_cast<double>(optimum(profile, 8)), 1.927e7, 0.5e4);
  const Allocation greedy = layerpipe_partition(profile, 8, {}, Reading::strict).allocation;
  EXPECT_NEAR(static_cast<double>(slowest(profile, greedy, 8)), 2.29e7, 0.5e5);
}

// {1, 2} and {3} take 20 cycles each.
TEST(LayerPipeOptimal, LendsNothingWithoutNeed) {
  const Profile profile = test_profile({{5, 0, 5}, {2, 6, 2}, {8, 4, 8}});
  const Allocation allocation = layerpipe_optimal_partition(profile, 2, {});
  EXPECT_EQ(allocation.layers[1].processor, 0U);
  EXPECT_EQ(borrowed_cycles(allocation.layers[1]), 0);
}

// The last layer alone takes 20 cycles: two stages reach that as well as three.
TEST(LayerPipeOptimal, UsesTheFewestStages) {
  const Profile profile = test_profile({{4, 0, 4}, {4, 4, 4}, {8, 4, 8}});
  EXPECT_EQ(layerpipe_optimal_partition(profile, 3, {}).stages(), 2U);
}

// 9 is the least, and takes four stages; layer 3 may lie with layer 2 or with layer 4.
TEST(LayerPipeOptimal, CutsEarly) {
  const Profile profile = test_profile({{9, 0, 0}, {5, 0, 0}, {1, 0, 0}, {5, 0, 0}, {9, 0, 0}});
  const Allocation allocation = layerpipe_optimal_partition(profile, 4, {});
  EXPECT_EQ(allocation.layers[1].processor, 1U);
  EXPECT_EQ(allocation.layers[2].processor, 2U);
  EXPECT_EQ(allocation.layers[3].processor, 2U);
}

// Layer 2's output is used first by layer 4: where 3 and 4 are parted, layer 2 lends nothing.
TEST(LayerPipeOptimal, LendsOnlyWhereTheBorrowerLies) {
  Profile profile = test_profile({{1, 0, 0}, {2, 8, 2}, {2, 0, 2}, {6, 0, 6}});
  // {1, 2} with 5 + delta', {3} with 4 + delta'', {4} with 12.
  EXPECT_EQ(optimum(profile, 3), 12);
  profile.layers[1].borrower = 3;
  // {1, 2} takes 13 by itself; what it lends to {3, 4}, 16 cycles, makes that one slower still.
  EXPECT_EQ(optimum(profile, 3), 13);
  profile.layers[1].borrower = std::nullopt;
  EXPECT_EQ(optimum(profile, 3), 13);
}

TEST(LayerPipeOptimal, RefusesToDivideMeasuredLayers) {
  EXPECT_THROW(
      static_cast<void>(layerpipe_optimal_partition(sample_profile(), 3, with(Split::batch))),
      InfeasibleError);
}

}  // namespace
}  // namespace layerpipe::tests
