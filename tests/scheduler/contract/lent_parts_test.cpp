#include "scheduler/contract/lent_parts.hpp"

#include <gtest/gtest.h>

#include "scheduler/costs/split.hpp"
#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "tests/support/test_machine.hpp"
#include "workloads/read/read_network.hpp"

namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;
using namespace placement;

/// a -> b -> c, a + c -> d with a and b on p0 and half of delta(b), 100 of 200 bytes, on p1. That
/// one also has the whole gradient that the shortcut brings to a, and sends both in one tensor.
TEST(LentParts, TheResultIsTheLentShareWhateverItIsSentWith) {
  const auto network = read::parse_network(
      "batch: 1\n"
      "bytes_per_element: {activations: 1, weights: 1, gradients: 1}\n"
      "input: {channels: 1, height: 10, width: 10}\n"
      "layers:\n"
      "  - {name: a, type: conv2d, out_channels: 2, kernel_size: 1}\n"
      "  - {name: b, type: conv2d, out_channels: 3, kernel_size: 1}\n"
      "  - {name: c, type: conv2d, out_channels: 2, kernel_size: 1}\n"
      "  - {type: add, inputs: [c, a]}\n"
      "  - {name: d, type: conv2d, out_channels: 1, kernel_size: 1}\n",
      "shortcut.yaml");
  const Profile profile = costs::profile(test_machine(2), network);
  const std::int64_t cycles = units_of(profile.layers[1], Split::ideal, 0.5);
  const Allocation allocation{{{0}, {0, {{1, 0.5, cycles}}}, {1}, {1}}};
  const Schedule schedule = layerpipe_schedule("layerpipe", profile, allocation, 2);
  const std::vector<LentPart> parts = lent_parts(schedule, profile);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].layer, 1U);
  EXPECT_EQ(parts[0].division.gradient_bytes, 100);
  EXPECT_EQ(parts[0].division.weight_bytes, 3);  // half of 2 x 3
  EXPECT_EQ(parts[0].division.lent_cycles, cycles);
}

}  // namespace
}  // namespace layerpipe::tests
