#include "platforms/machine/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "workloads/base/error.hpp"

namespace layerpipe::machine {
namespace {

using Names = std::vector<std::string>;

TEST(NaturalLess, ComparesRunsOfDigitsAsNumbers) {
  Names names{"p10",
              "p2",
              "q",
              "p",
              "p1x",
              "p1",
              "10",
              "9",
              "p100000000000000000000",
              "p99999999999999999999"};
  std::ranges::sort(names, natural_less);
  EXPECT_EQ(names, (Names{"9", "10", "p", "p1", "p1x", "p2", "p10", "p99999999999999999999",
                          "p100000000000000000000", "q"}));
}

TEST(NaturalLess, ComparesEachRunOfDigits) {
  Names names{"r2-p1", "r1-p10", "r1-p9", "r10-p0"};
  std::ranges::sort(names, natural_less);
  EXPECT_EQ(names, (Names{"r1-p9", "r1-p10", "r2-p1", "r10-p0"}));
}

// Names that differ in leading zeros only are different names and need an order all the same.
TEST(NaturalLess, OrdersLeadingZeros) {
  EXPECT_NE(natural_less("p1", "p01"), natural_less("p01", "p1"));
  EXPECT_TRUE(natural_less("p01", "p2"));
  EXPECT_TRUE(natural_less("p1", "p02"));
  EXPECT_FALSE(natural_less("p1", "p1"));
}

Machine machine_with(Names processors) {
  Machine machine;
  machine.name = "test";
  machine.processors = std::move(processors);
  return machine;
}

TEST(FirstProcessors, TakesTheFirstOnes) {
  EXPECT_EQ(first_processors(machine_with({"a", "b", "c"}), 2).processors, (Names{"a", "b"}));
  EXPECT_EQ(first_processors(machine_with({"a", "b"}), 2).processors, (Names{"a", "b"}));
}

TEST(FirstProcessors, KeepsTheNamesOfTheOthers) {
  const Machine two = first_processors(machine_with({"a", "b", "c", "d"}), 2);
  EXPECT_EQ(two.left_out, (Names{"c", "d"}));
  EXPECT_EQ(first_processors(two, 1).left_out, (Names{"b", "c", "d"}));
}

TEST(FirstProcessors, RefusesMoreThanThereAreAndNone) {
  EXPECT_THROW(static_cast<void>(first_processors(machine_with({"a", "b"}), 3)), InfeasibleError);
  EXPECT_THROW(static_cast<void>(first_processors(machine_with({"a", "b"}), 0)), InfeasibleError);
}

TEST(Bandwidth, IsThatOfTheNarrowestLink) {
  Machine machine;
  machine.links = {{"a", 3e9, true}, {"b", 1e9, true}, {"c", 2e9, false}};
  EXPECT_EQ(bandwidth(machine, {{0, 2}, 0.0}), 2e9);
  EXPECT_EQ(bandwidth(machine, {{0, 1, 2}, 0.0}), 1e9);
  EXPECT_EQ(bandwidth(machine, {{}, 0.0}), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace layerpipe::machine
