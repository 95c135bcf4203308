#include "workloads/base/nearest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace layerpipe::base {
namespace {

constexpr std::array<std::string_view, 5> keys{"name", "type", "out_channels", "kernel_size",
                                               "padding"};

TEST(Nearest, FindsMisspeltWords) {
  EXPECT_EQ(nearest("kernal_size", keys), "kernel_size");
  EXPECT_EQ(nearest("out_chanels", keys), "out_channels");
  EXPECT_EQ(nearest("tpye", keys), "type");
  EXPECT_EQ(nearest("Padding", keys), "padding");
}

TEST(Nearest, FindsBeginnings) {
  EXPECT_EQ(nearest("kernel", keys), "kernel_size");
  EXPECT_EQ(nearest("pad", keys), "padding");
}

TEST(Nearest, FindsNothingFarAway) {
  EXPECT_EQ(nearest("dilation", keys), std::nullopt);
  EXPECT_EQ(nearest("", keys), std::nullopt);
  EXPECT_EQ(nearest("x", keys), std::nullopt);
  EXPECT_EQ(nearest(std::string(1000, 'n'), keys), std::nullopt);
}

// Files may have keys of megabytes.
TEST(Nearest, DoesNotCompareWithWhatIsFarTooLong) {
  const std::string key = "type" + std::string(1000, 'e');
  const std::array<std::string_view, 2> candidates{key, "name"};
  EXPECT_EQ(nearest("type", candidates), std::nullopt);
}

TEST(Nearest, TakesTheFirstAmongEquals) {
  constexpr std::array<std::string_view, 2> candidates{"abcd1", "abcd2"};
  EXPECT_EQ(nearest("abcd3", candidates), "abcd1");
}

TEST(Suggestion, NamesTheNearestOrAll) {
  EXPECT_EQ(suggestion("kernal_size", keys), "(nearest: kernel_size)");
  EXPECT_EQ(suggestion("groups", keys),
            "(expected name, type, out_channels, kernel_size or padding)");
}

}  // namespace
}  // namespace layerpipe::base
