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

/// a and b on the input, joined, what comes behind that, c, d. d is on p1, which computes so many
/// cycles of delta(c).
struct Fork {
  Fork(const std::string& join, std::int64_t borrowed, const std::string& behind = "",
       std::size_t stage_of_others = 0)
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
                            "{2}"
                            "  - {{name: c, type: conv2d, {0}}}\n"
                            "  - {{name: d, type: conv2d, {0}}}\n",
                            "out_channels: 4, kernel_size: 1, bias: false", join, behind),
                "fork.yaml"))) {
    const auto all = static_cast<double>(profile.layers[2].input_gradient_cycles);
    const double fraction = static_cast<double>(borrowed) / all;
    Allocation allocation{{{0, {}}, {stage_of_others, {}}, {stage_of_others, {}}, {1, {}}}};
    if (borrowed > 0) allocation.layers[2].borrowed = {{1, fraction, borrowed}};
    schedule = layerpipe_schedule("layerpipe", profile, allocation, 2);
    check(schedule, profile);
  }

  void run(events::EventSink& sink, std::int64_t transfer_cycles = 0) const {
    metrics::replay(timetable(schedule, 1, [=](TensorId) { return transfer_cycles; }), sink);
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

/// What changes the size of the sum: 4 bytes for each of 4 (add) or 8 (concat) channels of 4 x 4
/// after the pool, of 16 x 16 after upsampling.
struct Resized {
  std::string join;
  std::string behind;
  std::int64_t bytes = 0;
};

const std::string pool = "  - {name: p, type: maxpool2d, kernel_size: 2}\n";
const std::string upsample = "  - {name: p, type: upsample, scale_factor: 2}\n";
const Resized resized[] = {{"add", pool, 256},
                           {"concat", pool, 512},
                           {"add", upsample, 4'096},
                           {"concat", upsample, 8'192}};

// What stays is kept as it has come, behind the pool, until it is needed.
TEST(PassedGradients, ThatStayHaveTheSizeOfTheirParts) {
  for (const Resized& way : resized) {
    for (const std::int64_t borrowed : {std::int64_t{0}, std::int64_t{40}}) {
      const Fork fork(way.join, borrowed, way.behind);
      AtLastWeightGradient sink(fork);
      fork.run(sink);
      EXPECT_EQ(sink.bytes(), way.bytes + 64) << way.join << way.behind << borrowed;
    }
  }
}

/// The bytes of gradients on p1 and p0 before and after the first transfer to p0 that ends.
class AtArrival final : public events::EventSink {
 public:
  explicit AtArrival(const Fork& fork) : fork_(fork) {}

  void record(const events::Event& event) override {
    const bool arrives = event.kind == events::EventKind::transfer_ended &&
                         fork_.schedule.tensors[event.id].destination == 0 && at_sender_ < 0;
    if (arrives) {
      bytes_ = fork_.schedule.tensors[event.id].bytes;
      at_sender_ = memory_.now(1).gradients;
    }
    memory_.record(event);
    if (arrives) at_receiver_ = memory_.now(0).gradients;
  }

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t at_sender() const { return at_sender_; }
  [[nodiscard]] std::int64_t at_receiver() const { return at_receiver_; }

 private:
  const Fork& fork_;
  metrics::LiveMemory memory_{fork_.schedule, fork_.profile};
  std::int64_t bytes_ = -1;
  std::int64_t at_sender_ = -1;
  std::int64_t at_receiver_ = -1;
};

// a is on p0, all else on p1, which has done the rest when the gradient arrives after so long: what
// is left there is what it has come from. What is sent and arrives is that at a.
TEST(PassedGradients, ThatAreSentHaveTheSizeOfTheValue) {
  constexpr std::int64_t transfer_cycles = 100'000;
  for (const Resized& way : resized) {
    const Fork fork(way.join, 0, way.behind, 1);
    AtArrival sink(fork);
    fork.run(sink, transfer_cycles);
    EXPECT_EQ(sink.bytes(), 1'024) << way.join << way.behind;
    EXPECT_EQ(sink.at_sender(), way.bytes) << way.join << way.behind;
    EXPECT_EQ(sink.at_receiver(), 1'024) << way.join << way.behind;
  }
}

}  // namespace
}  // namespace layerpipe::tests
