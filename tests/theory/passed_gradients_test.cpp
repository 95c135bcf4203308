#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "scheduler/contract/check_schedule.hpp"
#include "scheduler/discipline/layerpipe_schedule.hpp"
#include "scheduler/theory/recurrence.hpp"
#include "sim/metrics/live_memory.hpp"
#include "sim/metrics/replay.hpp"
#include "tests/support/test_machine.hpp"
#include "workloads/read/read_network.hpp"

// A gradient that passes through an add or a concat to another group, in one part and in two. By
// hand: 1 x 1 convolutions of 4 channels on one image of 8 x 8, gradients of 4 bytes: 1,024 bytes
// at each output and 64 of the weights. On 32 x 32, FP and delta of a convolution from 4 channels
// take (2 x 32 + 32 + 64 - 2) = 158 cycles, G takes 2 x (2 x 32 + 32 + 4 - 2) = 196.
namespace layerpipe::tests {
namespace {

using namespace contract;
using namespace costs;
using namespace discipline;
using namespace placement;
using namespace theory;

/// a and b on the input, joined, c, d. d is on p1, which computes so many cycles of delta(c).
struct Fork {
  Fork(const std::string& join, std::int64_t borrowed)
      : profile(costs::profile(
            test_machine(2),
            read::parse_network(
                fmt::format("batch: 1\n"
                            "bytes_per_element: {{activations: 1, weights: 1, gradients: 4}}\n"
                            "input: {{channels: 4, height: 8, width: 8}}\n"
                            "layers:\n"
                            "  - {{name: a, type: conv2d, inputs: input, {0}}}\n"
                            "  - {{name: b, type: conv2d, inputs: input, {0}}}\n"
                            "  - {{name: joined, type: {1}, inputs: [a, b]}}\n"
                            "  - {{name: c, type: conv2d, {0}}}\n"
                            "  - {{name: d, type: conv2d, {0}}}\n",
                            "out_channels: 4, kernel_size: 1, bias: false", join),
                "fork.yaml"))) {
    const auto all = static_cast<double>(profile.layers[2].input_gradient_cycles);
    const double fraction = static_cast<double>(borrowed) / all;
    Allocation allocation{{{0, {}}, {0, {}}, {0, {}}, {1, {}}}};
    if (borrowed > 0) allocation.layers[2].borrowed = {{1, fraction, borrowed}};
    schedule = layerpipe_schedule("layerpipe", profile, allocation, 2);
    check(schedule, profile);
  }

  void run(events::EventSink& sink) const {
    metrics::replay(timetable(schedule, 1, [](TensorId) { return 0; }), sink);
  }

  Profile profile;
  Schedule schedule;
};

/// The bytes of gradients on p0 when G of the first layer starts.
class AtLastWeightGradient final : public events::EventSink {
 public:
  explicit AtLastWeightGradient(const Fork& fork) : fork_(fork) {}

  void record(const events::Event& event) override {
    memory_.record(event);
    if (event.kind != events::EventKind::operation_started) return;
    const OpPart& part = fork_.schedule.ops[event.id].parts.front();
    if (part.kind != OpKind::weight_gradient || part.layer != 0) return;
    bytes_ = memory_.now(0).gradients;
  }

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  const Fork& fork_;
  metrics::LiveMemory memory_{fork_.schedule, fork_.profile};
  std::int64_t bytes_ = -1;
};

constexpr std::int64_t borrowed_cycles[] = {0, 40, 79, 158};

// While G(c) is executed: the gradient at the output of c, that at the sum, which is also that at
// a, in whatever parts, and G(c) itself. Both parts of delta(c) take 158 cycles together from the
// arrival on, so they are there before G(c) ends.
TEST(PassedGradients, TwoPartsThroughAnAddAreNoSum) {
  for (const std::int64_t borrowed : borrowed_cycles) {
    const Fork fork("add", borrowed);
    metrics::LiveMemory memory(fork.schedule, fork.profile);
    fork.run(memory);
    EXPECT_EQ(memory.peak(0).gradients, 1'024 + 1'024 + 64) << borrowed;
  }
}

// G(a) comes last. It needs what b has passed on, which is all of the gradient at the concat.
TEST(PassedGradients, PartsThroughAConcatAreKeptForTheOtherGroup) {
  for (const std::int64_t borrowed : borrowed_cycles) {
    const Fork fork("concat", borrowed);
    AtLastWeightGradient sink(fork);
    fork.run(sink);
    EXPECT_EQ(sink.bytes(), 2'048 + 64) << borrowed;
  }
}

}  // namespace
}  // namespace layerpipe::tests
