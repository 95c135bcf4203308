#include "scheduler/costs/split.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/divisible_profile.hpp"
#include "tests/support/test_profile.hpp"
#include "workloads/base/error.hpp"

namespace layerpipe::tests {
namespace {

using namespace costs;

constexpr std::array all_splits{Split::ideal, Split::channels, Split::batch};

/// 10 channels on a 4 x 4 array, weight-stationary, 2 samples of 5 positions, K = 4: a column fold
/// takes 2 x 4 + 4 + 10 - 2 = 20 cycles, the whole 3 folds.
LayerProfile ten_channels() {
  LayerProfile layer;
  layer.name = "ten";
  layer.input_gradient_cycles = 60;
  layer.input_gradient_gemms = array::InputGradientGemms{
      .size = {4, 4}, .gemm = {10, 4, 10}, .groups = 1, .group_channels = 10, .samples = 2};
  return layer;
}

TEST(Split, UnitsAreCyclesChannelsOrSamples) {
  EXPECT_EQ(split_units(ten_channels(), Split::ideal), 60);
  EXPECT_EQ(split_units(ten_channels(), Split::channels), 10);
  EXPECT_EQ(split_units(ten_channels(), Split::batch), 2);
  LayerProfile first = ten_channels();
  first.has_input_gradient = false;
  EXPECT_EQ(split_units(first, Split::channels), 0);
}

TEST(Split, PartsCostWhatTheyTakeByThemselves) {
  EXPECT_EQ(part_cycles(ten_channels(), Split::ideal, 7), 7);
  EXPECT_EQ(part_cycles(ten_channels(), Split::channels, 4), 20);
  EXPECT_EQ(part_cycles(ten_channels(), Split::channels, 5), 40);
  EXPECT_EQ(part_cycles(ten_channels(), Split::batch, 1), 3 * (2 * 4 + 4 + 5 - 2));
}

TEST(Split, TheKeptPartIsTheRestOfTheUnits) {
  EXPECT_EQ(kept_cycles(ten_channels(), Split::ideal, 0.25), 45);
  EXPECT_EQ(kept_cycles(ten_channels(), Split::channels, 0.1), 60);  // 9 channels, 3 folds
  EXPECT_EQ(kept_cycles(ten_channels(), Split::channels, 1.0), 0);
}

/// Searched for one unit after the other.
TEST(Split, MostUnitsAreTheLastThatFit) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const LayerProfile layer = divisible_profile(2, 12, seed).layers.back();
    for (const Split split : all_splits) {
      for (std::int64_t cycles = 0; cycles <= layer.input_gradient_cycles + 1; ++cycles) {
        std::int64_t most = 0;
        for (std::int64_t units = 1; units <= split_units(layer, split); ++units) {
          if (part_cycles(layer, split, units) <= cycles) most = units;
        }
        ASSERT_EQ(most_units(layer, split, cycles), most) << seed << " " << to_string(split);
      }
    }
  }
}

TEST(Split, AllUnitsCostTheWhole) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const LayerProfile layer = divisible_profile(2, 12, seed).layers.back();
    for (const Split split : all_splits) {
      EXPECT_EQ(part_cycles(layer, split, split_units(layer, split)), layer.input_gradient_cycles);
    }
  }
}

TEST(Split, FractionsNameUnits) {
  const LayerProfile layer = ten_channels();
  for (std::int64_t units = 0; units <= 10; ++units) {
    EXPECT_EQ(units_of(layer, Split::channels, static_cast<double>(units) / 10.0), units);
  }
}

/// By trying every division.
TEST(Split, IsUsefulIfSomeDivisionMakesBothPartsCheaper) {
  int useful = 0;
  int useless = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const LayerProfile layer = divisible_profile(2, 6, seed).layers.back();
    for (const Split split : all_splits) {
      const std::int64_t all = split_units(layer, split);
      bool expected = false;
      for (std::int64_t units = 1; units < all; ++units) {
        expected =
            expected || (part_cycles(layer, split, units) < layer.input_gradient_cycles &&
                         part_cycles(layer, split, all - units) < layer.input_gradient_cycles);
      }
      EXPECT_EQ(is_split_useful(layer, split), expected) << seed << " " << to_string(split);
      (expected ? useful : useless)++;
    }
  }
  EXPECT_GT(useful, 100);
  EXPECT_GT(useless, 50);
}

TEST(Split, MeasuredLayersAreDividedIdeallyOrNotAtAll) {
  const Profile measured = test_profile({{1, 0, 1}, {1, 1, 1}});
  EXPECT_NO_THROW(require_divisible(measured, Split::ideal));
  try {
    require_divisible(measured, Split::channels);
    FAIL();
  } catch (const InfeasibleError& error) {
    EXPECT_STREQ(error.what(),
                 "layer layer1: measured costs are known for the whole layer, not for parts of it "
                 "by channels (expected --split ideal)");
  }
}

}  // namespace
}  // namespace layerpipe::tests
