#include "workloads/base/checked.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/base/error.hpp"
#include "workloads/base/units.hpp"

namespace layerpipe::base {
namespace {

using testing::ThrowsMessage;

TEST(ExactProduct, GoesUpToTheLargestExactNumber) {
  EXPECT_EQ(exact_product({3, 224, 224}, "elements"), 150'528);
  EXPECT_EQ(exact_product({}, "elements"), 1);
  // 2^53 - 1 = 6361 x 69431 x 20394401.
  EXPECT_EQ(exact_product({6'361, 69'431, 20'394'401}, "elements"), max_exact);
  EXPECT_THAT(
      [] {
        (void)exact_product({std::int64_t{1} << 26, std::int64_t{1} << 27}, "elements");
      },
      ThrowsMessage<InputError>("elements too large (expected at most 9,007,199,254,740,991)"));
}

TEST(ExactProduct, IsZeroWhereAFactorIs) {
  EXPECT_EQ(exact_product({max_exact, max_exact, 0}, "elements"), 0);
}

TEST(ExactSum, GoesUpToTheLargestExactNumber) {
  EXPECT_EQ(exact_sum({1, 2, 3}, "bytes"), 6);
  EXPECT_EQ(exact_sum({max_exact - 1, 1}, "bytes"), max_exact);
  EXPECT_THAT(
      [] {
        (void)exact_sum({max_exact, 1}, "bytes");
      },
      ThrowsMessage<InputError>("bytes too large (expected at most 9,007,199,254,740,991)"));
}

}  // namespace
}  // namespace layerpipe::base
