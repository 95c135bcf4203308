#include "scheduler/placement/placed_operations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/allocation_text.hpp"
#include "workloads/base/error.hpp"

// Keys and single entries, as allocation files have them.
namespace layerpipe::tests {
namespace {

using testing::ThrowsMessage;

TEST(PlacedOperations, SuggestsTheNearestName) {
  expect_refused({{4, "layer1", "layr1"}}, {4, "\"layr1"},
                 "unknown layer 'layr1' (nearest: layer1)");
  expect_refused({{4, "layer1", "relu"}}, {4, "\"relu"},
                 "unknown layer 'relu' (expected a layer of the workload that has weights)");
  expect_refused({{8, "p1", "p9"}}, {8, "\"p9"}, "unknown processor 'p9' (nearest: p0)");
  expect_refused({{8, "p1", "machine"}}, {8, "\"machine"},
                 "unknown processor 'machine' (expected one of the platform)");
  expect_refused({{5, "forward", "foward"}}, {5, "\"foward"},
                 "unknown operation 'foward' (nearest: forward)");
  expect_refused({{5, "forward", "update"}}, {5, "\"update"},
                 "unknown operation 'update' (expected forward, input_gradient or "
                 "weight_gradient)");
}

TEST(PlacedOperations, RefusesMissingKeys) {
  expect_refused({{1, "schedule", "Schedule"}}, {1, "{"},
                 "missing key 'schedule' (expected in the file; nearest: Schedule)");
  expect_refused({{1, "options", "none"}}, {1, "{"},
                 "missing key 'options' (expected in the file)");
  expect_refused({{1, "split", "spilt"}}, {1, "{\"spilt"},
                 "missing key 'split' (expected in options; nearest: spilt)");
  expect_refused({{1, "processors", "processes"}}, {1, "{"},
                 "missing key 'processors' (expected in the file; nearest: processes)");
  expect_refused({{8, "name", "nam"}}, {8, "{"},
                 "missing key 'name' (expected in processors; nearest: nam)");
  expect_refused({{17, "operations", "operation"}}, {17, "{"},
                 "missing key 'operations' (expected in processors; nearest: operation)");
  expect_refused({{3, "operation", "op"}}, {3, "{"},
                 "missing key 'operation' (expected in operations)");
  expect_refused({{3, "layer\"", "Layer\""}}, {3, "{"},
                 "missing key 'layer' (expected in operations; nearest: Layer)");
  expect_refused({{3, "fraction", "fractoin"}}, {3, "{"},
                 "missing key 'fraction' (expected in operations; nearest: fractoin)");
}

TEST(PlacedOperations, RefusesDuplicatesOfTheKeysThatItReads) {
  expect_refused({{1, "{", R"({"schedule": 1, )"}}, {1, "\"schedule\": \"l"},
                 "duplicate key 'schedule' (expected once)");
  expect_refused({{1, "{\"split\"", R"({"split": "batch", "split")"}}, {1, "\"split\": \"i"},
                 "duplicate key 'split' (expected once)");
  expect_refused({{17, "}", R"(, "name": "p4"})"}}, {17, "\"name\": \"p4"},
                 "duplicate key 'name' (expected once)");
  expect_refused({{6, "}", R"(, "fraction": 0.5})"}}, {6, "\"fraction\": 0.5"},
                 "duplicate key 'fraction' (expected once)");
}

TEST(PlacedOperations, DoesNotLookAtOtherKeys) {
  EXPECT_NO_THROW((void)parse(edited({{1, "{", R"({"a": 1, "a": [{"split": 0}], "b": {"c": {}}, )"},
                                      {6, "}", R"(, "cycles": -1, "cycles": "x", "note": null})"},
                                      {1, "\"ideal\"", R"("ideal", "alpha": 1e300)"}})));
}

TEST(PlacedOperations, RefusesValuesOfTheWrongKind) {
  expect_refused({{1, "\"layerpipe\"", "1"}}, {1, "1"}, "schedule is a number (expected text)");
  expect_refused({{1, "{\"split\": \"ideal\"}", "[]"}}, {1, "[]"},
                 "options is a list (expected an object)");
  expect_refused({{2, "{\"name\": \"p0\", \"operations\": [", "[["}, {7, "]}", "]]"}}, {2, "["},
                 "processors is a list (expected an object)");
  expect_refused({{17, "[]", "{}"}}, {17, "{}"}, "operations is an object (expected a list)");
  expect_refused({{3, "\"layer1\"", "null"}}, {3, "null"}, "layer is null (expected text)");
  expect_refused({{6, "0.75", "\"0.75\""}}, {6, "\"0.75"}, "fraction is text (expected a number)");
  expect_refused({{6, "0.75", "true"}}, {6, "true"}, "fraction is a boolean (expected a number)");
  EXPECT_THAT([] { (void)parse("[]"); },
              ThrowsMessage<InputError>("f:1:1: the file is a list (expected an object)"));
}

TEST(PlacedOperations, RefusesFractionsOutOfRange) {
  for (const char* fraction : {"0", "-0.5", "1.5", "-0.0"}) {
    EXPECT_THAT(
        [&] {
          (void)parse(edited({{6, "0.75", fraction}}));
        },
        ThrowsMessage<InputError>(
            testing::MatchesRegex("f:6:66: fraction is -?[0-9.]+ .expected above 0, at most 1.")));
  }
  expect_refused({{6, "0.75", "NaN"}}, {6, "N"}, "not JSON: invalid literal (expected JSON)");
  expect_refused({{6, "0.75", "1e999"}}, {6, "1e999"},
                 "a number is out of range (expected one below 1.8e308)");
  expect_refused({{3, "1}", "0.5}"}}, {3, "0.5"},
                 "fraction of forward is 0.5 (expected 1: only input gradients are divided)");
}

TEST(PlacedOperations, RefusesFractionsThatDoNotAddUp) {
  expect_refused({{6, "0.75", "0.7"}}, {9, "0.25"},
                 "fractions of input_gradient of 'layer2' add up to 0.95 (expected 1)");
  expect_refused({{11, "1}", "0.5}"}}, {11, "0.5"},
                 "fractions of input_gradient of 'layer3' add up to 0.5 (expected 1)");
  EXPECT_NO_THROW((void)parse(edited({{6, "0.75", "0.7500000009"}})));
}

TEST(PlacedOperations, RefusesWhatIsThereTwice) {
  expect_refused({before(10, entry("forward", "layer2"))}, {10, entry("forward", "layer2")},
                 "forward of 'layer2' is there a second time (expected once, as in line 5)");
  const std::string part = entry("input_gradient", "layer2", "0.5");
  expect_refused({before(11, part)}, {11, part},
                 "input_gradient of 'layer2' is there a second time (expected once, as in line 9)");
  expect_refused({{13, "p2", "p0"}}, {13, "\"p0"},
                 "processor 'p0' is there a second time (expected once)");
}

}  // namespace
}  // namespace layerpipe::tests
